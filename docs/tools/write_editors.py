"""Write examples/editors/ from the grammars of the parsers: `python docs/tools/write_editors.py`.

An editor colours a text as the lexer reads it: the patterns are the terminals of the Lark grammars in the order in
which the lexer tries them, so at every place the first match is the lexer's token. Tokens that depend on the alphabet
(operators without spaces between them, as in GFa) are names for editors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lark import Lark

from constructions.crasp.parser import _parser as counting_parser
from constructions.language.parser import _parser as formula_parser
from constructions.rasp.parser import _parser as program_parser

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "editors"
OPERATOR, WORD, NUMBER, STRING = ("keyword.operator", "keyword.control", "constant.numeric", "string.quoted")
NAME, COMMENT, CONSTANT, PUNCTUATION = ("variable.other", "comment.line", "constant.language", "punctuation")
LETTER, BUILTIN = "entity.name.tag", "support.function"
TEMPORAL = (
    "SINCE", "UNTIL", "USUAL_SINCE", "USUAL_UNTIL", "WEAK_SINCE", "WEAK_UNTIL", "RELEASE", "STRONG_RELEASE", "TRIGGER",
    "PREVIOUS", "NEXT", "LETTER_NEXT", "WEAK_NEXT", "WEAK_PREVIOUS", "ONCE", "HISTORICALLY", "EVENTUALLY", "ALWAYS",
    "STRONG_NEXT", "STRONG_PREVIOUS", "BOUNDED_UNARY", "BOUNDED_BINARY",
)  # fmt: skip
SCOPES: Mapping[str, str] = {
    **dict.fromkeys(TEMPORAL, WORD),
    **dict.fromkeys(("IFF", "IMPLIES", "XOR", "OR", "AND", "NOT", "RELATION", "PLUS", "MINUS", "TIMES", "REMAINDER",
                     "QMARK", "COLON", "_DEFINE", "ASSIGN"), OPERATOR),
    **dict.fromkeys(("IF", "ELSE", "IMPORT", "FUNC", "ALPHABET", "AUXILIARY", "BARE_SYMBOLS"), WORD),
    **dict.fromkeys(("COUNT_LEFT", "COUNT_RIGHT", "COUNT", "RIGHTMOST", "LEFTMOST", "PSUM", "MIN", "MAX"), BUILTIN),
    **dict.fromkeys(("SYMBOL", "LETTER", "REFERENCE"), LETTER),
    **dict.fromkeys(("TRUE", "FALSE"), CONSTANT),
    **dict.fromkeys(("LPAR", "RPAR", "LSQB", "RSQB", "COMMA", "OPEN", "CLOSE", "__ANON_0"), PUNCTUATION),
    "INT": NUMBER, "QUOTED": STRING, "NAME": NAME,
}
"""The kind of each terminal for an editor."""
NEWLINE = "_NEWLINE"
"""A terminal that never matches within a line: editors read line by line."""
LANGUAGES: Mapping[str, tuple[str, Any, tuple[tuple[str, str], ...]]] = {
    "ltl": ("Temporal logic with counting", formula_parser,
            ((r"#(?=[\s#]|$).*", COMMENT), (r"\blet\b", WORD), (r":=|;|=(?![=>])", OPERATOR))),
    "rasp": ("B-RASP and S-RASP", program_parser, ((r"#.*", COMMENT),)),
    "cr": ("C-RASP", counting_parser, ((r"//.*", COMMENT),)),
}
"""For each ending of files: the name, the parser, and patterns outside its grammar; operators come last."""


def patterns_of(ending: str) -> list[tuple[str, str]]:
    """Return patterns and their kinds, in the order in which they are tried."""
    _, load, beside = LANGUAGES[ending]
    lark: Lark = load()
    lexer: Any = lark.parser.lexer
    terminals = [(each.pattern.to_regexp(), SCOPES[each.name]) for each in lexer.terminals
                 if each.name not in lark.ignore_tokens and each.name != NEWLINE]
    first = [each for each in beside if each[1] != OPERATOR]
    return [*first, *terminals, *(each for each in beside if each[1] == OPERATOR)]


def grammar(ending: str) -> dict[str, Any]:
    """Return a grammar in the format of TextMate, Visual Studio Code and others."""
    return {
        "name": LANGUAGES[ending][0], "scopeName": f"source.certify-{ending}", "fileTypes": [ending],
        "patterns": [{"match": pattern, "name": f"{scope}.certify-{ending}"} for pattern, scope in patterns_of(ending)]}


def extension() -> dict[str, Any]:
    """Return the manifest that makes the folder an extension of Visual Studio Code."""
    return {
        "name": "certify-languages", "displayName": "Formulas and RASP programs", "version": "0.1.0",
        "publisher": "certify", "license": "Apache-2.0", "engines": {"vscode": "^1.60.0"},
        "contributes": {
            "languages": [{
                "id": f"certify-{ending}", "aliases": [name], "extensions": [f".{ending}"],
                "configuration": f"./{ending}.configuration.json"} for ending, (name, *_) in LANGUAGES.items()],
            "grammars": [{"language": f"certify-{ending}", "scopeName": f"source.certify-{ending}",
                          "path": f"./{ending}.tmLanguage.json"} for ending in LANGUAGES]}}


def configuration(ending: str) -> dict[str, Any]:
    """Return the settings for comments and brackets."""
    return {"comments": {"lineComment": "//" if ending == "cr" else "#"}, "brackets": [["(", ")"], ["[", "]"]]}


def files() -> dict[str, str]:
    """Return all files to write, by name."""
    found: dict[str, Any] = {"package.json": extension()}
    for ending in LANGUAGES:
        found |= {f"{ending}.tmLanguage.json": grammar(ending), f"{ending}.configuration.json": configuration(ending)}
    return {name: json.dumps(data, indent=1, ensure_ascii=False) + "\n" for name, data in found.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
