"""The compiled library: one for each user, each version of the library and each build of Coq.

It is in the user's cache, under a name that is a digest of the sources and of Coq's build. It is compiled in a folder
next to its place and then renamed, so that it is always complete. As its contents are trusted, it is used only if no
other user may write there and if it is, byte for byte, what was compiled; else it is compiled again. Files that were
compiled before an interruption are kept next to it in the same way, and are not compiled again.
"""

import contextlib
import itertools
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

from constructions.errors import InputError, InternalError
from proofs.every_n.kernel import Coq, CoqRun
from proofs.every_n.library import COMPILED, INSTANCES, digest, digest_of_files, imported_files, needed_sources

SEAL = "sealed"
"""The file with the digest of all others in its folder."""
PRINTED = ".printed"
"""Suffix of the file with Coq's output from compiling the file of that name."""
BEGUN, TEMPORARY = ".begun", ".coq-"
"""Suffix of a folder with a part of the library, and prefix of one in which a process compiles."""
ABANDONED = 24 * 3600
"""Seconds without a write after which a folder is abandoned."""
AT_ONCE = min(os.cpu_count() or 1, 4)
"""Files that are compiled at once: one takes half a gigabyte."""
_ANOTHER = "XDG_CACHE_HOME names another place"


def cache_folder() -> Path:
    """Return the folder of this user's caches of ``certify``; a relative XDG_CACHE_HOME is ignored.

    Raises:
        InputError: if there is neither such a place nor a home.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".cache") / "certify"
    except RuntimeError:
        raise InputError(f"there is no home folder, and so no cache; {_ANOTHER}") from None


def compiled_library(coq: Coq, progress: Callable[[str], None] = lambda _: None,
                     entries: Sequence[str] = COMPILED, copied: Sequence[str] = COMPILED) -> Path:
    """Return the folder with these files of the library and their imports, compiled; it is made if missing.

    Files compiled for the entries ``copied`` are copied from there.

    Raises:
        InputError: if the cache cannot be written, or if somebody else can write it.
        InternalError: if Coq does not accept the library.
    """
    sources = needed_sources(*entries)
    place = _place(coq, sources)
    try:
        if _is_whole(place):
            return place
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(place.parent)
        _sweep(place.parent)
        begun = place.with_name(f"{place.name}{BEGUN}")
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=TEMPORARY) as temporary:
            folder, known = Path(temporary) / "library", [_compiled(coq, copied), begun if _is_whole(begun) else None]
            folder.mkdir(mode=0o700)
            done = set[str]()
            try:
                _compile(coq, folder, sources, [place for place in known if place], progress, done)
            except BaseException:
                _keep(folder, done, begun, Path(temporary) / "replaced")
                raise
            _settle(folder, place, Path(temporary) / "replaced")
        shutil.rmtree(begun, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{place.parent}: the cache cannot be written: {error.strerror or error}; "
                         f"{_ANOTHER}") from None
    return place


def _place(coq: Coq, sources: dict[str, str]) -> Path:
    """Return the folder for these sources, compiled by this Coq."""
    return cache_folder() / f"coq-{digest([coq.version, coq.build, *sources, *sources.values()])}"


def _compiled(coq: Coq, entries: Sequence[str]) -> Path | None:
    """Return the folder in which these are compiled, if they are."""
    place = _place(coq, needed_sources(*entries))
    return place if _is_whole(place) else None


def _is_whole(place: Path) -> bool:
    """Return whether the library is there as it was compiled."""
    if not place.is_dir():
        return False
    _check_private(place.parent)
    _check_private(place)
    try:
        return (place / SEAL).read_text(encoding="ascii") == _digest_of_made(place)
    except (OSError, UnicodeDecodeError):
        return False


def _check_private(folder: Path) -> None:
    """Raise InputError if another user can replace the library."""
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"{folder}: another user may write in this cache, expected one that is this user's alone; "
                         f"{_ANOTHER}")


def _sweep(parent: Path) -> None:
    """Remove folders in which no process compiles any more: of processes that were killed."""
    for folder in parent.glob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - max(path.stat().st_mtime for path in (folder, *folder.iterdir())) > ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)


def _keep(folder: Path, done: Collection[str], begun: Path, replaced: Path) -> None:
    """Move what has been compiled, and nothing else, to the place where the next call finds it, sealed."""
    for path in folder.iterdir():
        if path.with_suffix(".v").name not in done:
            path.unlink()
    if done:
        (folder / SEAL).write_text(_digest_of_made(folder), encoding="ascii")
        if begun.exists():
            begun.rename(replaced)
        folder.rename(begun)


def _compile(coq: Coq, folder: Path, sources: dict[str, str], known: Sequence[Path],
             progress: Callable[[str], None], done: set[str]) -> None:
    """Compile each file once its imports are compiled, several at once, and seal the results.

    Files compiled in the ``known`` folders are copied. Names are added to ``done`` as soon as they are compiled.
    """
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    for place in known:
        there = {path.name for path in place.glob("*.v")} & sources.keys() - done
        for path in place.iterdir():
            if path.with_suffix(".v").name in there:
                shutil.copy2(path, folder)
        done |= there
    left = {name: text for name, text in sources.items() if name not in done}
    order = TopologicalSorter({name: imported_files(text) & left.keys() for name, text in left.items()})
    order.prepare()
    waiting, running, begun = list[str](), dict[Future[CoqRun], str](), itertools.count(1)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while order.is_active():
            waiting += order.get_ready()
            while waiting and len(running) < AT_ONCE:
                name = waiting.pop(0)
                progress(f"compiling the Coq library, once: {name}, {next(begun)} of {len(left)}")
                running[pool.submit(coq.compile, folder / name, folder)] = name
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                name, run = running.pop(ended), ended.result()
                if not run.accepted:
                    raise InternalError(f"Coq {coq.version} does not accept the library: {name}: {run.complaint}")
                if run.printed:
                    (folder / name).with_suffix(PRINTED).write_text(run.printed, encoding="utf-8")
                order.done(name)
                done.add(name)
    (folder / SEAL).write_text(_digest_of_made(folder), encoding="ascii")


def _digest_of_made(folder: Path) -> str:
    """Return the digest of all files: Coq also takes files that it did not make, such as a newer ``.vio``."""
    return digest_of_files(sorted(path for path in folder.rglob("*")
                                  if path.name != SEAL and (path.is_symlink() or not path.is_dir())))


def axioms_of_instances(library: Path) -> str:
    """Return Coq's output about the axioms of the theorems used in ``proofs.every_n.instances``.

    It is empty, and so not a list of axioms, if Coq printed nothing.
    """
    printed = (library / INSTANCES).with_suffix(PRINTED)
    return printed.read_text(encoding="utf-8") if printed.is_file() else ""


def _settle(folder: Path, place: Path, replaced: Path) -> None:
    """Rename the folder to its place. If another process was faster, its folder stays, unless it was changed."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        if not _is_whole(place):
            place.rename(replaced)
            folder.rename(place)
