"""Each session of ``sessions/`` comes out as it is written there (tests/cli/console.py), and what is wrong is seen."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Session, play, sessions_of

PATHS = sorted((Path(__file__).parent / "sessions").iterdir())
SESSIONS = {f"{path.stem}: {session.title}": session for path in PATHS for session in sessions_of(path)}


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
def test_the_session_comes_out_as_it_is_written(certify: Any, session: Session) -> None:
    play(certify, session)


def test_each_session_has_a_sentence_of_its_own() -> None:
    assert len(SESSIONS) == sum(len(re.findall("^# ", path.read_text(encoding="utf-8"), re.M)) for path in PATHS) > 100


@pytest.mark.parametrize("steps", [
    "$1 list", "$ list ==> nosuch", "$ list\n  programs/…\n  examples in …", "$ list ==> not: examples in…",
    "$ list ==> ! x", "$ list ==> err: x", "$= list ==> …", "$ list --json ==> examples.0.name = x",
    "$ list --json ==> keys: x", "$ list --json ==> examples.# > 999", "$2 formula Q_1 --max-n 0 ==> max-n: 1…",
    "$2 formula Q_1 --max-n {0|-1} ==> max-n: 0…", "$2 formula Q_ --max-n 2 ==> …", "$2 list x", "files x",
    "file a ==> x\nread a ==> y", "file a ==> x\nfile b ==> y\nsame a b", "file a ==> x\nedit a: y => z",
    "file a ==> x\nread a ==> not: …", "$ list\n  > out\nfiles",
])
def test_what_comes_out_otherwise_is_seen(certify: Any, tmp_path: Path, steps: str) -> None:
    place = tmp_path / "it"
    place.write_text(f"# It is not so\n{steps}\n", encoding="utf-8")
    (session,) = sessions_of(place)
    place.unlink()
    with pytest.raises(AssertionError):
        play(certify, session)
