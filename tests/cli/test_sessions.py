"""Each session of ``sessions/`` comes out as it is written there (tests/cli/console.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Session, play, sessions_of

SESSIONS = {f"{path.stem}: {session.title}": session for path in sorted((Path(__file__).parent / "sessions").iterdir())
            for session in sessions_of(path)}


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
def test_the_session_comes_out_as_it_is_written(certify: Any, session: Session) -> None:
    play(certify, session)
