"""What the prover needs in a page beside Python: python-flint and Z3 for browsers, one version of each, by digest."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from certify.frame.places import note_input
from constructions.errors import InputError, Unreadable

PLATFORM = "pyemscripten_2026_0_wasm32"


@dataclass(frozen=True)
class Wheel:
    """A wheel as pip downloads it, and the licence under which it is passed on as it is."""

    name: str
    version: str
    tag: str
    sha_256: str
    licence: str

    @property
    def file(self) -> str:
        """What it is called."""
        return f"{self.name.replace('-', '_')}-{self.version}-{self.tag}-{PLATFORM}.whl"


FLINT = Wheel("python-flint", "0.9.0", "cp314-cp314",
              "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3", "MIT and LGPL-3.0-or-later")
Z3 = Wheel("z3-solver", "5.3.3.0", "py3-none",
           "9381d9516345f53b21a8f4df243c5d608e9625aac658c3fb3975457bad260f60", "MIT")
KNOWN = (FLINT, Z3)
DOWNLOAD = (f"pip download --no-deps --only-binary=:all: --platform {PLATFORM} --python-version 3.14 -d DIR "
            + " ".join(f"{each.name}=={each.version}" for each in KNOWN))
"""What fills the folder."""
MOST_BYTES = 1 << 26


def read_wheels(folder: str) -> Mapping[str, bytes]:
    """The wheels of a folder, by the names of their files.

    Raises:
        InputError: if one is missing, another one, or cannot be read.
    """
    note_input(folder)
    return {each.file: _read(folder, each) for each in KNOWN}


def _read(folder: str, wheel: Wheel) -> bytes:
    path = Path(folder) / wheel.file
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except FileNotFoundError:
        raise InputError(f"--wheels: {folder} has no {wheel.file}, expected the folder that this fills: "
                         f"{DOWNLOAD}") from None
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    if (found := hashlib.sha256(data).hexdigest()) != wheel.sha_256:
        raise InputError(f"--wheels: {path} has the SHA-256 {found}, expected {wheel.sha_256}: the file that "
                         f"pip download {wheel.name}=={wheel.version} writes")
    return data
