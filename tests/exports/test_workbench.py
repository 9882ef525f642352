"""The workbench of the site: what it packs is enough, its answers are those of the library, and the page shows them.

The latter is tried where CERTIFY_PYODIDE names the file that `npm pack pyodide` writes.
"""

import io
import json
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Browser, expect

from certify.claims.formula.examples import load_examples
from certify.exports.site.answers import answer
from certify.exports.site.build import EXAMPLES
from certify.exports.site.workbench import pack_workbench, workbench_files
from constructions.language.alphabets import alphabet_of
from constructions.language.parser import parse_formula
from constructions.language.printer import format_formula
from constructions.language.semantics import truth_values
from tests.browser import CONTRASTS, NARROW, browser
from tests.cli.conftest import certify
from tests.exports.test_site import PYODIDE, served, visit, wait_until_ready

__all__ = ["browser", "certify", "served"]
MISTAKE = "Q_a & (Q_b since"


def answered(*asked: str) -> Any:
    return json.loads(answer(*asked))


ASKED = (
    *(example[:3] for example in EXAMPLES),
    (MISTAKE, "", ""), ("Q_a", "ab", "abc"), ("Q_a", "aa", "a"), ("", "", ""), ("<b>&", "", "<"), ("Q_a", "", ""),
    ("let p = Q_a; p since prev p", "ab", "ab"), ("-#<[Q_1] > 2", "01", "1"))


def alone(folder: Path, program: str) -> str:
    """Return the output of a program with only the standard library and the packed files, as in the page."""
    start = f"import json, sys; sys.path.insert(0, {str(folder)!r})\nfrom certify.exports.site.answers import answer\n"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", start + program], capture_output=True, text=True,
                          check=False)
    assert done.stderr == ""
    return done.stdout


def test_what_is_packed_answers_as_the_library_does(unpacked: Path) -> None:
    printed = alone(unpacked, f"for each in {ASKED!r}: print(answer(*each))")
    assert [json.loads(line) for line in printed.splitlines()] == [answered(*asked) for asked in ASKED]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workbench")
    zipfile.ZipFile(io.BytesIO(pack_workbench())).extractall(folder)
    return folder


def test_what_needs_real_numbers_is_refused_in_the_page(unpacked: Path) -> None:
    """The module that stands for python-flint names what the language imports of it, and computes nothing."""
    program = """import flint
from constructions.errors import Unsupported
for name in ('arb', 'fmpq'):
    try: getattr(flint, name)(1)
    except Unsupported: print(name)
"""
    assert alone(unpacked, program).split() == ["arb", "fmpq"]


def test_the_licence_of_what_is_packed_is_packed_and_the_bytes_are_the_same_each_time() -> None:
    files = workbench_files()
    assert b"Permission is hereby granted" in files["lark/LICENSE"]
    assert pack_workbench() == pack_workbench()
    assert not [name for name in files if "__pycache__" in name or name.startswith(("proofs", "certify/commands"))]


@pytest.mark.parametrize("example", [each for each in load_examples() if len(format_formula(each.formula)) < 300][:12],
                         ids=lambda each: each.name)
def test_rows_are_the_truths_and_the_command_is_about_the_same_formula(example: Any) -> None:
    text, word = format_formula(example.formula), (*example.alphabet, *example.alphabet[::-1], example.alphabet[0])
    found = answered(text, ",".join(example.alphabet), ",".join(word))
    assert parse_formula(found["brackets"], example.alphabet) is example.formula
    for part, values in found["rows"]:
        assert values == list(truth_values(parse_formula(part, example.alphabet), word)), part
    assert found["rows"][-1][0] == found["formula"]
    *_, written = shlex.split(found["command"])
    assert parse_formula(written, example.alphabet) is example.formula


def test_commands_are_run_as_they_are_shown(certify: Any) -> None:
    for formula, alphabet in (("-#<[Q_1] + #<[Q_0] >= 1", "01"), ("Q['$(touch x)']  &\nprev Q_a", ""), ("Q_a", "-a"),
                              ("prev Q['`']", "`'")):
        shown = answered(formula, alphabet, "")
        _, command, *words = shlex.split(shown["command"])
        result = certify(command, "--max-n", "2", "--json", *words)
        assert result.code == 0 and result.json["formula"] == shown["formula"], shown
        assert result.json["alphabet"] == shown["alphabet"]


def test_what_no_transformer_is_built_for_has_no_layers_and_says_why() -> None:
    large = " & ".join(f"prev Q['{number}']" for number in range(40))
    assert answered(large, "", "")["no_layers"] == "The formula is too large to be drawn here."
    found = answered("prev Q_a", "ab", "")
    assert "no_layers" not in found and [picture[:10] for picture in found["pictures"]] == ["<svg class"] * 2
    assert found["layers"][-1] == ["At each position, ReLUs compute the truth of `prev Q_a`."]


def test_without_an_alphabet_one_more_symbol_stands_for_all_others() -> None:
    assert answered("Q_b & Q_a", " ", "")["alphabet"] == list(alphabet_of(parse_formula("Q_b & Q_a")))


@pytest.mark.parametrize(("asked", "key", "printed"), [
    ((MISTAKE, "", ""), "caret", f"{MISTAKE}\n{' ' * len(MISTAKE)}^"),
    (("Q_a", "aa", ""), "error", "alphabet 'aa': 'a' occurs twice, expected distinct symbols"),
    (("Q_a", "ab", "ac"), "word_error", "word, position 2: found 'c', expected one of a, b"),
    (("Q_a", "a", "a" * 201), "word_error", "word: 201 symbols, expected at most 200 here"),
    (("(" * 30_000 + "Q_a", "a", ""), "error", ""),
])
def test_what_is_wrong_is_said_in_a_line(asked: tuple[str, str, str], key: str, printed: str) -> None:
    found = answered(*asked)
    assert found[key].startswith(printed) and (key == "word_error") == ("formula" in found)


# -- in a browser ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not PYODIDE, reason="CERTIFY_PYODIDE names no file")
def test_the_page_reads_as_one_types_without_a_network(browser: Browser, served: tuple[str, Any]) -> None:
    page, wrong = visit(browser, served[0], "workbench.html", NARROW)
    wait_until_ready(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    served[1].shutdown()  # from here on nobody answers
    row = page.locator("#truths tbody tr").last
    expect(row).to_contain_text("(Q_a | Q_b) since prev Q_a")
    assert row.locator("td").all_inner_texts() == ["·", "true", "·", "·"]
    assert page.locator("#pictures svg").count() == 2 and page.locator("#layers li").count() == 4
    expect(page.locator("#layers li").last).to_contain_text("settles `(Q_a | Q_b) since prev Q_a`")
    page.fill("#formula", MISTAKE)
    expect(page.locator("#complaint")).to_contain_text("found the end of the text")
    assert page.locator("#mistake").inner_text() == answered(MISTAKE, "", "")["caret"]
    expect(page.locator("#found")).to_be_hidden()
    page.fill("#formula", "prev Q['<b>']")
    page.fill("#alphabet", "<b>,a")
    page.fill("#word", "")
    expect(page.locator("#sentences")).to_contain_text("there is a position just before this one")
    for letter in ("<b>", "a", "a"):
        page.get_by_role("button", name=letter, exact=True).click()
    page.get_by_role("button", name="Remove the last letter").click()
    expect(page.locator("#word")).to_have_value("<b>,a")
    expect(page.locator("#truths thead th")).to_have_text(["formula", "<b> 1", "a 2"])
    expect(page.locator("#truths tbody tr").last.locator("td")).to_have_text(["·", "true"])
    given = parse_qs(page.url.partition("#")[2])
    assert given == {"f": ["prev Q['<b>']"], "a": ["<b>,a"], "w": ["<b>,a"]}
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    assert min(page.evaluate(CONTRASTS)) >= 4.5
    page.goto(f"{served[0]}workbench.html#{urlencode({'f': 'ODD(#<[Q_1])', 'a': '01', 'w': '11'})}")
    page.reload()  # what was kept is enough
    wait_until_ready(page)
    expect(page.locator("#truths tbody tr").last).to_contain_text("ODD(#<[Q_1])")
    assert [each for each in wrong if "favicon" not in each] == []
