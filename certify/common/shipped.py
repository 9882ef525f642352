"""Files installed with the code: examples and guides, inside the package or at the top of the checkout."""

from pathlib import Path

from certify.common.files import read_text, write_folder
from constructions.errors import InputError, suggest
from constructions.language.diagnosis import quote

INSIDE = Path(__file__).resolve().parents[1]
"""The package, which has these folders inside once it is installed; in a checkout they are beside it."""
AT_THE_TOP = ("README.md", "DIVERGENCES.md", "CHANGELOG.md")
"""Pages that lie beside the folder docs/ in a checkout."""
PARTS = ("tutorial", "howto", "reference", "background")
"""The folders of docs/, in the order of the book; no two pages have one name."""


def examples_folder() -> Path:
    """Return the folder of examples."""
    return _folder("examples")


def copy_examples(place: str) -> None:
    """Copy every example into a new folder, all of them or none.

    Raises:
        InputError: if the folder is not empty or cannot be made.
    """
    source = examples_folder()
    write_folder(place, {path.relative_to(source).as_posix(): path.read_bytes()
                         for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts})


def pages() -> dict[str, Path]:
    """Return the guides by their names."""
    folder = _folder("docs")
    top = folder if folder.is_relative_to(INSIDE) else folder.parent
    found = [top / name for name in AT_THE_TOP]
    for part in PARTS:
        found += sorted((folder / part).glob("*.md"))
    return {path.stem: path for path in found}


def read_page(name: str) -> str:
    """Return the text of a page.

    Raises:
        InputError: if no page has this name.
    """
    found = pages()
    path = found.get(name.rpartition("/")[2].removesuffix(".md"))
    if path is None:
        raise InputError(f"certify list guides: found {quote(name)}, expected one of {', '.join(found)}"
                         f"{suggest(name, found)}")
    return read_text(str(path))


def _folder(name: str) -> Path:
    inside = INSIDE / name
    return inside if inside.is_dir() else INSIDE.parent / name


def title_of(path: Path) -> str:
    """Return the title of a page."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
