"""`certify export --to card`: the claim of a certificate as a fragment of Markdown for the card of a model.

The claim is in the checker's own words, which quote every name; nothing else of the file is copied.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from certify import __version__
from certify.claims.formula.sealed import read_accepted_file, read_sealed_text
from certify.exports.headline import headline, is_of_every_length, is_refutation
from certify.exports.pages.certificate.commands import (
    check_alone_command,
    check_command,
    check_softened_command,
    checker_digest,
    claimed_formula,
    write_checker_command,
)
from certify.exports.writing import name_of, text_file
from constructions.network.json_form import read_json, write_canonical
from constructions.text import printable
from proofs import check

NOT_CLAIMED = """
Not claimed: anything about{beyond} other weights (not even rescaled ones), or about floating-point runs other than
those in the claim. The checker recomputes every bound from the file with integers; it shares no code with
the program that wrote the certificate.
"""


def card_of(text: str, path: str, name: str) -> str:
    """Return the fragment about the certificate with this text; messages name ``path``, the fragment ``name``.

    Raises:
        InputError: if it is not a certificate.
        NotAccepted: if the checker rejects it.
    """
    accepted = read_accepted_file(text, path)
    lines = [check.printable(line) for line in accepted.lines]
    claim = "\n".join(lines)
    return f"""\
## {headline(lines).capitalize()}

{_says(lines, name)}

{fence(claim)}text
{claim}
{fence(claim)}

| file | SHA-256 |
|---|---|
{"".join(f"| {row} | `{digest}` |{chr(10)}" for row, digest in _digests(text, path, name))}
To check it, with Python 3.10 or newer and nothing else:

{_commands(accepted.given, text, path, name)}
{_not_claimed(lines)}"""


def _not_claimed(lines: Sequence[str]) -> str:
    if is_refutation(lines):
        return ""
    return NOT_CLAIMED.format(beyond="" if is_of_every_length(lines) else " longer words, about")


def _says(lines: Sequence[str], name: str) -> str:
    what = "shows where they break this claim" if is_refutation(lines) else "proves of them"
    return f"The certificate {code(name)} is about the weights in it, and {what}, in the checker's words:"


def code(text: str) -> str:
    """Format any text as code, in a line of Markdown or in a cell of a table.

    >>> print(code("a|b`c"), code("x.cert"))
    <code>a&#124;b&#96;c</code> `x.cert`
    """
    shown = printable(text)
    if re.fullmatch(r"[\w./ -]*\w[\w./ -]*", shown, re.ASCII) and shown == shown.strip():
        return f"`{shown}`"
    return "<code>" + "".join(c if c.isascii() and c.isalnum() else f"&#{ord(c)};" for c in shown) + "</code>"


def fence(text: str) -> str:
    """Return more backquotes than any run of them in the text.

    >>> fence("a"), fence("````")
    ('```', '`````')
    """
    return "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)


def _digests(text: str, path: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the digests of the certificate, of the model in it as `build` writes it, and of the checker."""
    data = read_json(text, path)
    yield f"certificate, {code(name)}", hashlib.sha256(text.encode()).hexdigest()
    if isinstance(data.get("transformer"), dict):
        model = write_canonical(data["transformer"])
        yield "the network in it, as a model file", hashlib.sha256(model.encode()).hexdigest()
    yield f"checker, `check.pyz` of version {__version__}", checker_digest()


def _commands(given: Any, text: str, path: str, name: str) -> str:
    if isinstance(given, check.Certificate):
        sealed = read_sealed_text(text, path, takes_given=True)
        command = check_command(sealed, name, claimed_formula(sealed))
    elif isinstance(given, check.Softened):
        command = check_softened_command(given.claim.alphabet, given.claim.max_n, name)
    else:
        command = check_alone_command(name)
    lines = f"{write_checker_command()}\n{command}"
    return f"{fence(lines)}sh\n{lines}\n{fence(lines)}"


write_card = text_file(lambda text, path: card_of(text, path, name_of(path)))
