"""The library in compiled form: once for each user, each version of the library and each version of Coq.

It lies in the user's cache, under a name that is a digest of the sources and of Coq's version. It is compiled in a
folder beside that place and then renamed, so that what is found there is whole.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from constructions.errors import InputError, InternalError
from proofs.by_coq.kernel import Coq
from proofs.by_coq.library import DIAGNOSIS, digest, needed_sources


def cache_folder() -> Path:
    """Where this user's caches of ``certify`` are."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "certify"


def compiled_library(coq: Coq, progress: Callable[[str], None] = lambda _: None) -> Path:
    """The folder with the compiled library; if there is none yet, it is made.

    Raises:
        InputError: if the cache cannot be written.
        InternalError: if Coq does not accept the library.
    """
    sources = needed_sources(DIAGNOSIS)
    place = cache_folder() / f"coq-{digest([coq.version, *sources, *sources.values()])}"
    if place.is_dir():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".coq-") as temporary:
            folder = Path(temporary) / "library"
            folder.mkdir()
            _compile(coq, folder, sources, progress)
            _settle(folder, place)
    except OSError as error:
        raise InputError(f"{place.parent}: the cache cannot be written: {error.strerror or error}; "
                         "XDG_CACHE_HOME names another place") from None
    return place


def _compile(coq: Coq, folder: Path, sources: dict[str, str], progress: Callable[[str], None]) -> None:
    for number, (name, text) in enumerate(sources.items(), start=1):
        progress(f"compiling the Coq library, once: {name}, {number} of {len(sources)}")
        (folder / name).write_text(text, encoding="utf-8")
        run = coq.compile(folder / name, folder)
        if not run.accepted:
            raise InternalError(f"Coq {coq.version} does not accept the library: {name}: {run.complaint}")


def _settle(folder: Path, place: Path) -> None:
    """Rename; where another process was faster, its folder stays."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        shutil.rmtree(folder)
