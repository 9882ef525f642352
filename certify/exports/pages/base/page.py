"""One file that opens without a network: everything that a stranger wrote is escaped, and the script is hashed.

The Content-Security-Policy lets the page load nothing and run its own script alone. Data for the script are a block of
JSON, in which no tag can begin.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from certify.exports.pages.certificate.commands import checker_digest, write_checker_command
from constructions.text import printable

BASE = "certify.exports.pages.base"
SIGNS = {"certified": "✓", "proved": "∀", "refuted": "✗", "refuted on a reading": "±", "vacuous": "○", "unknown": "?",
         "unproved": "¿", "unsupported": "–", "not decidable": "∅", "malformed": "!"}
"""Beside its colour each verdict has a sign of its own."""


class _CompiledOnce(BytecodeCache):
    """Templates as Python, by their files and texts: each is compiled once in a process, for all of its pages."""

    def __init__(self) -> None:
        self._compiled = dict[tuple[str, str], CodeType]()

    def load_bytecode(self, bucket: Bucket) -> None:
        """What has been compiled of this text."""
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledOnce()
"""Filters and what is global are looked up when a page is made, so that all environments share it."""


def open_templates(*packages: str) -> Environment:
    """Return the templates of these packages and those that all pages share; what they print is escaped."""
    environment = Environment(loader=ChoiceLoader([PackageLoader(package) for package in (*packages, BASE)]),
                              autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                              bytecode_cache=_COMPILED)
    environment.filters["line"] = printable
    environment.globals |= {"signs": SIGNS, "checker_digest": checker_digest(),
                            "write_checker": write_checker_command()}
    return environment


def read_parts(environment: Environment, names: Sequence[str]) -> Markup:
    """Files of styles or scripts, one after another, as they are."""
    return Markup("".join(environment.get_template(name).render() for name in names))


def hash_script(script: str) -> str:
    """What the policy of the page calls the script.

    >>> hash_script("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def embed_json(data: object) -> Markup:
    """Data as JSON that may stand inside a script element.

    >>> print(embed_json({"name": "</script>"}))
    {"name":"\\u003c/script>"}
    """
    return Markup(json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"))


def render_page(environment: Environment, template: str, styles: Sequence[str], scripts: Sequence[str],
                **given: Any) -> str:
    """Return the page of a template that extends ``base.html``."""
    script = read_parts(environment, ("dom.js", "base.js", *scripts))
    return environment.get_template(template).render(style=read_parts(environment, ("base.css", *styles)),
                                                     script=script, script_hash=hash_script(script), **given)
