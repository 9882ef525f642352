"""The library in compiled form: once for each user, each version of the library and each build of Coq.

It lies in the user's cache, under a name that is a digest of the sources and of Coq's build. It is compiled in a folder
beside that place and then renamed, so that what is found there is whole. What lies there would be believed, so it is
used only if nobody else may write there and if it is, byte for byte, what was compiled; else it is compiled again.
What had been compiled when somebody interrupted that lies beside it in the same way, and is not compiled again.
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
"""How the name of a file ends that has what Coq printed when it compiled the file of that name."""
BEGUN, TEMPORARY = ".begun", ".coq-"
"""Suffix of a folder that has a part of the library, and prefix of one in which somebody compiles."""
ABANDONED = 24 * 3600
"""Seconds in which nothing was written, after which nobody compiles in such a folder."""
AT_ONCE = min(os.cpu_count() or 1, 4)
"""How many files are compiled at once: one takes half a gigabyte."""
_ANOTHER = "XDG_CACHE_HOME names another place"


def cache_folder() -> Path:
    """Where this user's caches of ``certify`` are; a relative XDG_CACHE_HOME does not count.

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
    """Return the folder with these files of the library and what they need, compiled; where it is not yet, it is made.

    What has been compiled for the entries ``copied`` is copied from there.

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
    """Where these sources are, compiled by this Coq."""
    return cache_folder() / f"coq-{digest([coq.version, coq.build, *sources, *sources.values()])}"


def _compiled(coq: Coq, entries: Sequence[str]) -> Path | None:
    """Where these are compiled, if they are."""
    place = _place(coq, needed_sources(*entries))
    return place if _is_whole(place) else None


def _is_whole(place: Path) -> bool:
    """Whether the library is there as it was compiled."""
    if not place.is_dir():
        return False
    _check_private(place.parent)
    _check_private(place)
    try:
        return (place / SEAL).read_text(encoding="ascii") == _digest_of_made(place)
    except (OSError, UnicodeDecodeError):
        return False


def _check_private(folder: Path) -> None:
    """Raise InputError if another user could put something else in the place of the library."""
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"{folder}: another user may write in this cache, expected one that is this user's alone; "
                         f"{_ANOTHER}")


def _sweep(parent: Path) -> None:
    """Remove folders in which nobody compiles any more: of processes that were killed."""
    for folder in parent.glob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - max(path.stat().st_mtime for path in (folder, *folder.iterdir())) > ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)


def _keep(folder: Path, done: Collection[str], begun: Path, replaced: Path) -> None:
    """Put what has been compiled where the next one finds it, sealed, and nothing else."""
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
    """Compile each file once those that it imports are compiled, several at once, and seal what was made.

    Those that are compiled in the ``known`` folders are copied. Names are added to ``done`` as soon as they are.
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
    """The digest of all that is there: Coq takes other files than it made, too, such as a ``.vio`` that is newer."""
    return digest_of_files(sorted(path for path in folder.rglob("*")
                                  if path.name != SEAL and (path.is_symlink() or not path.is_dir())))


def axioms_of_instances(library: Path) -> str:
    """What Coq printed of the axioms of the theorems that ``proofs.every_n.instances`` makes instances of.

    It is empty, and so no list of axioms, if Coq printed nothing.
    """
    printed = (library / INSTANCES).with_suffix(PRINTED)
    return printed.read_text(encoding="utf-8") if printed.is_file() else ""


def _settle(folder: Path, place: Path, replaced: Path) -> None:
    """Rename. Where another process was faster, its folder stays; one that was changed is replaced."""
    try:
        folder.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        if not _is_whole(place):
            place.rename(replaced)
            folder.rename(place)
