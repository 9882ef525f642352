"""Accepted certificates, the checker's output, and its speed."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from proofs.check import Incomplete, Malformed, RequiredClaim, check_file, check_text, main
from tests.check import handmade
from tests.covered import fields

CHECK = Path(__file__).parents[2] / "proofs" / "check"


def write(path: Path, made: handmade.Json) -> str:
    path.write_bytes(handmade.dump(made))
    return str(path)


@pytest.mark.parametrize("name", handmade.ALL)
@pytest.mark.parametrize("max_n", [1, 2, 7, 16])
def test_accepts_what_is_true(name: str, max_n: int) -> None:
    report = check_text(handmade.dump(handmade.ALL[name](max_n)))
    assert fields(report).subformulas >= 2
    assert fields(report).feed_forward_rows % (max_n * (max_n + 1) // 2) == 0


def test_covers_every_row_where_the_guard_holds() -> None:
    n = 12
    rows = n * (n + 1) // 2
    assert fields(check_text(handmade.dump(handmade.since_certificate(n)))).head_rows == rows
    assert fields(check_text(handmade.dump(handmade.prev_certificate(n)))).head_rows == rows - n
    assert fields(check_text(handmade.dump(handmade.uniform_certificate(n)))).head_rows == 3 * rows


def test_prints_the_whole_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "x.cert", handmade.since_certificate(8, errors=("3/50", "5/99")))
    assert main([path]) == 0
    out = capsys.readouterr().out
    for part in (
        handmade.SINCE,
        "'a', 'b', 'c'",
        "every n in 1..8",
        "temperature",
        "1 layers, 1 heads, 2 units",
        "36 head rows",
        "0.060000",
        f"accepted: {path}\n",
    ):
        assert part in out
    assert out.endswith(f"accepted: {path}\n")


@pytest.mark.parametrize(
    "flags",
    [
        ["--formula", "(Q_a∨Q_b) since Q_b", "--alphabet", "abc", "--max-n", "8", "--regime", "temperature"],
        ["--formula", "Q_a S Q_b", "--alphabet", "c,b,a"],
        [],
    ],
)
def test_accepts_the_claim_that_was_asked_for(flags: list[str], tmp_path: Path) -> None:
    assert main([write(tmp_path / "x.cert", handmade.since_certificate(8)), *flags]) == 0


@pytest.mark.parametrize(
    ("flags", "part"),
    [
        (["--formula", "Q_b"], "formula"),
        (["--formula", "(Q_b | Q_a) since Q_b"], "formula"),
        (["--alphabet", "ab"], "alphabet"),
        (["--alphabet", "abcd"], "alphabet"),
        (["--max-n", "0"], "max_n"),
        (["--max-n", "9"], "max_n"),
        (["--regime", "position"], "regime"),
        (["--causal"], "causal"),
    ],
)
def test_another_claim_is_rejected(
    flags: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([write(tmp_path / "x.cert", handmade.since_certificate(8)), *flags]) == 1
    out = capsys.readouterr().out
    assert "claim differs" in out and part in out and "accepted" not in out


def test_causal_certificate_satisfies_causal() -> None:
    check_text(handmade.dump(handmade.causal_certificate(8)), RequiredClaim(causal=True))


@pytest.mark.parametrize(
    "argv",
    [
        ["--formula", "(", "x"],
        ["--formula", "#<[Q_a] > 1", "x"],
        ["--alphabet", "", "x"],
        ["--alphabet", "aa", "x"],
        ["--alphabet", "a,,b", "x"],
        ["--max-n", "many", "x"],
        ["--regime", "warm", "x"],
        ["--caus", "x"],
        [],
        ["/nowhere/at/all"],
        ["/"],
        ["a\0b"],
    ],
)
def test_bad_usage_and_unreadable_files_are_status_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert "accepted" not in capsys.readouterr().out


def test_status_of_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path / "good", handmade.since_certificate(3))
    bad = write(tmp_path / "bad", handmade.since_certificate(3, errors=("0", "0")))
    ugly = tmp_path / "ugly"
    ugly.write_text("{}")
    assert main([good, good]) == 0
    assert main([good, str(ugly)]) == 2
    assert main([str(ugly), bad, good]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out if line.split(":")[0] in ("accepted", "rejected", "malformed")] == [
        "accepted",
        "accepted",
        "accepted",
        "malformed",
        "malformed",
        "rejected",
        "accepted",
    ]


def test_a_file_name_cannot_forge_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x\naccepted: y"
    path.write_text("")
    assert main([str(path)]) == 2
    assert "\naccepted" not in capsys.readouterr().out


def run(args: list[str], data: bytes | None = None, flags: list[str] | None = None, **env: str) -> tuple[int, bytes]:
    command = [sys.executable, *(flags if flags is not None else ["-I", "-S"]), str(CHECK), *args]
    done = subprocess.run(command, input=data, capture_output=True, env={**os.environ, **env}, check=False)
    assert b"Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def test_reads_standard_input() -> None:
    status, out = run(["-"], handmade.dump(handmade.since_certificate(4)))
    assert (status, out[-12:]) == (0, b"accepted: -\n")


def test_30_output_is_the_same_optimised_and_under_other_hash_seeds_and_locales(tmp_path: Path) -> None:
    """Input 30: optimised, other hash seeds, other locales: the same bytes."""
    good = write(tmp_path / "good", handmade.prev_certificate(6))
    bad = write(tmp_path / "bad", handmade.since_certificate(6, errors=("1/100", "1/100")))
    outs = {
        run([good, bad, "/none"], flags=[*flags, "-S"], PYTHONHASHSEED=seed, LC_ALL=locale, PYTHONUTF8=utf8)
        for flags, seed, locale, utf8 in (
            ([], "0", "C", "0"),
            (["-O"], "1", "C.UTF-8", "1"),
            (["-OO"], "7", "POSIX", "0"),
            (["-I"], "9", "de_DE", "1"),
        )
    }
    assert len(outs) == 1
    assert next(iter(outs))[0] == 1


def test_31_a_failure_inside_is_never_a_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Input 31: whatever goes wrong, the status is not 0 and nothing says accepted."""
    data = handmade.dump(handmade.since_certificate(3))
    for error in (MemoryError, RecursionError, ValueError, OverflowError, KeyError, ZeroDivisionError, TypeError):

        def broken(*_: object, error: type[Exception] = error) -> None:
            raise error("injected")

        monkeypatch.setattr("proofs.check.checker.kernel.weights.enclose_exp", broken)
        with pytest.raises(Incomplete, match="could not be completed"):
            check_text(data)


def test_a_closed_standard_output_is_not_a_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path / "x", handmade.since_certificate(2))

    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())
    assert main([path]) == 2


def test_files_beyond_the_size_limit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate((1 << 24) + 1)
    with pytest.raises(Malformed, match="limit"):
        check_file(str(path))
