"""Self-contained pages: all external text is escaped, and the script is hashed.

The Content-Security-Policy forbids loading anything and allows only the page's own script. Data for the script are a
block of JSON, in which no tag can begin.
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
"""The sign of each verdict, besides its colour."""


class _CompiledOnce(BytecodeCache):
    """A cache of compiled templates by file and text: each is compiled once in a process, for all of its pages."""

    def __init__(self) -> None:
        self._compiled = dict[tuple[str, str], CodeType]()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the compiled form of this text, if there is one."""
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the compiled form."""
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledOnce()
"""The cache of all environments; filters and globals are looked up only when a page is rendered."""


def open_templates(*packages: str) -> Environment:
    """Return the templates of these packages and those that all pages share; their output is escaped."""
    environment = Environment(loader=ChoiceLoader([PackageLoader(package) for package in (*packages, BASE)]),
                              autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                              bytecode_cache=_COMPILED)
    environment.filters["line"] = printable
    environment.globals |= {"signs": SIGNS, "checker_digest": checker_digest(),
                            "write_checker": write_checker_command()}
    return environment


def read_parts(environment: Environment, names: Sequence[str]) -> Markup:
    """Concatenate files of styles or scripts, unescaped."""
    return Markup("".join(environment.get_template(name).render() for name in names))


def hash_script(script: str) -> str:
    """Return the hash of the script in the page's policy.

    >>> hash_script("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def embed_json(data: object) -> Markup:
    r"""Serialise data as JSON that can be inside a script element.

    >>> print(embed_json({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    return Markup(json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"))


def render_page(environment: Environment, template: str, styles: Sequence[str], scripts: Sequence[str],
                **given: Any) -> str:
    """Render the page of a template that extends ``base.html``."""
    script = read_parts(environment, ("dom.js", "base.js", *scripts))
    return environment.get_template(template).render(style=read_parts(environment, ("base.css", *styles)),
                                                     script=script, script_hash=hash_script(script), **given)
