"""The certificates of a comparison in one folder, with what to check of them."""

from certify.frame.files import write_folder
from certify.learning.equality import Equality
from certify.learning.show_equality import describe_difference, describe_equality
from constructions.text import printable

SAME = ("import json; one, other = (json.load(open(name))['claim'] for name in ('first.cert', '{}')); "
        "n = min(one.pop('max_n'), other.pop('max_n')); print('one claim, of words up to', n) "
        "if one == other else exit('two claims')")
"""A program that compares two claims, apart from their greatest lengths."""
FILES = """`first.cert` proves that the first network answers as an automaton does, `second.cert` that the second
does, on words up to a length; `second.wrong` that the second does not on one word. What is here is checked by"""
CHECK = """The checker (`certify checker -o check.pyz` writes it) proves each by itself and prints which weights it is
about; the last lines see that they are about one automaton. So up to the lesser length the two answer alike, and on the
wrong word, if the first is proved that far, they do not."""


def write_equality(path: str, equality: Equality) -> None:
    """Write the folder.

    Raises:
        InputError: if the place cannot be written, or is a folder that is not empty.
    """
    certificates = equality.certificates
    write_folder(path, {**certificates, "README.md": readme(equality)})


def readme(equality: Equality) -> str:
    """What is in the folder, and how a stranger checks it."""
    names = list(equality.certificates)
    lines = ["# Two trained networks compared", "", f"{equality.verdict}: {printable(describe_equality(equality))}"]
    if equality.difference:
        lines += ["", printable(describe_difference(equality.difference))]
    lines += ["", FILES, "", "```sh", *(f"python -I -S check.pyz {name}" for name in names)]
    lines += [f'python3 -c "{SAME.format(name)}"' for name in names if name != "first.cert"]
    return "\n".join([*lines, "```", "", CHECK, ""])
