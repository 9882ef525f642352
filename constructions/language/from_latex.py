"""Translation of formulas in LaTeX, as ``--style latex`` and papers write them, to plain spelling.

Each macro is replaced by its meaning and padded with blanks, so that error columns refer to the original text.
"""

import re

_MACROS = {
    **dict.fromkeys(("leftrightarrow", "Leftrightarrow", "iff"), "<->"),
    **dict.fromkeys(("rightarrow", "Rightarrow", "to", "implies"), "->"),
    **dict.fromkeys(("lor", "vee"), "|"), **dict.fromkeys(("land", "wedge"), "&"),
    **dict.fromkeys(("lnot", "neg"), "!"), "ominus": "⊖", "oplus": "⊕", "top": "⊤", "bot": "⊥",
    "Diamond": "◇", "Box": "□", "bigcirc": "◯",
    **dict.fromkeys(("le", "leq", "leqslant"), "<="), **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
    **dict.fromkeys(("ne", "neq"), "!="), "lt": "<", "gt": ">", **dict.fromkeys(("cdot", "times"), "*"), "bmod": "%",
    **dict.fromkeys(("left", "right", "big", "Big", "bigl", "bigr", "quad", "limits"), ""),
}
_FONT = r"\\(?:math(?:bin|rel|op|bf|rm|sf|it|tt)|operatorname|text(?:bf|rm|sf|tt|sc)?)"
_ESCAPED = r"(?:[^{}\\]|\\[{}#$%&_]|\\text(?:backslash|asciitilde|asciicircum)\{\})"
_TOKEN = re.compile("|".join((
    r"""(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
    rf"(?P<symbol>Q_\{{\s*(?:\\text(?:tt)?\{{(?P<texttt>{_ESCAPED}*)\}}|(?P<bare>{_ESCAPED}+?))\s*\}})",
    r"(?P<count>(?<!/)\\over(?P<side>left|right)arrow\s*\{\s*\\#\s*\}\s*\[)",
    rf"(?P<name>(?<!/)(?:{_FONT}\s*\{{\s*)+(?P<word>(?:[A-Za-z0-9]|\\_)+)(?:\s*\}})+)",
    r"(?P<index>\b(?P<letter>[a-z]+)_\{(?P<number>[0-9]+)\})",
    r"(?P<times>(?<=[0-9])\\,(?=\s*\\over))",
    r"(?P<space>(?<!/)\\[,;:! ])",
    r"(?<!/)\\(?P<macro>[A-Za-z]+)",
)))
_LETTERS = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}


def from_latex(text: str) -> str:
    r"""Return the formula without macros; text without macros is unchanged.

    >>> from_latex(r"\overleftarrow{\#}[Q_1] \ge 2")
    '#<[                Q_1] >=  2'
    >>> from_latex(r"Q_a \/ Q_b /\ Q_c /\!Q_top") == r"Q_a \/ Q_b /\ Q_c /\!Q_top"
    True
    """
    return _TOKEN.sub(_plain, text) if "\\" in text or "{" in text else text


def _plain(found: re.Match[str]) -> str:
    whole = found.group()
    match found.lastgroup if found["macro"] is None else "macro":
        case "quoted":
            return whole
        case "macro":
            word = _MACROS.get(found["macro"])
            return whole if word is None else word.ljust(len(whole))
    if found["symbol"] is not None:
        return _symbol(found["texttt"] if found["texttt"] is not None else found["bare"]).ljust(len(whole))
    if found["count"] is not None:
        return {"left": "#<[", "right": "#>["}[found["side"]].ljust(len(whole))
    if found["name"] is not None:
        return found["word"].replace(r"\_", "_").ljust(len(whole))
    if found["index"] is not None:
        return (found["letter"] + found["number"]).ljust(len(whole))
    return ("*" if found["times"] is not None else " ").ljust(len(whole))


def _symbol(escaped: str) -> str:
    letters = re.sub(r"\\text[a-z]+\{\}|\\.", lambda one: _LETTERS.get(one.group(), one.group()[1:]), escaped)
    if re.fullmatch(r"[A-Za-z0-9_]+", letters):
        return f"Q_{letters}"
    return "Q['" + re.sub(r"(['\\])", r"\\\1", letters) + "']"
