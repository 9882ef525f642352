"""Formulas and layers in plain English: a sentence for each part, which quotes smaller parts."""

from collections.abc import Iterator

from constructions.language import syntax
from constructions.language.printer import format_formula
from constructions.language.syntax import TRUE, Count, Formula, Term, subformulas
from constructions.network.meanings import Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import FeedForward, Head, Mask, Transformer

RELATIONS = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least", "==": "equal to",
             "!=": "different from"}
SIDES = {"left": "up to here", "right": "from here on"}
NUMBERS = {"ODD": "odd", "EVEN": "even"}
PLACES = {"FIRST": "the first", "LAST": "the last", "ODD": "an odd", "EVEN": "an even"}
LONGEST_QUOTE = 60
MOST_JOINED = 4
MOST_VALUES = 6
AMONG = {Mask.FUTURE: "up to it", Mask.PAST: "from it on", Mask.NONE: "of the whole word"}
LOOKED_UP = "the position whose number is 1 plus the number of other counted positions"


def sentences(formula: Formula) -> list[tuple[str, str]]:
    """Return each part that is not a plain statement about the current letter, smaller ones first, with its meaning.

    >>> from constructions.language.parser import parse_formula
    >>> for text, meaning in sentences(parse_formula("(Q_a | Q_b) since prev Q_a")):
    ...     print(f"{text}: {meaning}")
    prev Q_a: there is a position just before this one, and there the letter is a
    (Q_a | Q_b) since prev Q_a: here or earlier `prev Q_a` holds, and from there up to here (there and here, too) always the letter is a or the letter is b
    """  # noqa: E501
    parts = [part for part in subformulas(formula) if not _is_plain(part) or part is formula]
    return [(format_formula(part), _meaning(part)) for part in parts]


def _is_plain(formula: Formula) -> bool:
    """Return whether it is a short statement about the current position only."""
    if isinstance(formula, syntax.Symbol | syntax.Constant):
        return True
    if isinstance(formula, syntax.Predicate):
        return formula.name in PLACES
    if isinstance(formula, syntax.Not):
        return isinstance(formula.operand, syntax.Symbol | syntax.Predicate) and _is_plain(formula.operand)
    return _is_chain(formula, syntax.And) or _is_chain(formula, syntax.Or)


def _is_chain(formula: Formula, operator: type[syntax.And | syntax.Or]) -> bool:
    """Return whether it is a few plain statements joined by this operator only, so that no bracket is needed."""
    if not isinstance(formula, operator):
        return False
    parts = [part for part in subformulas(formula) if not isinstance(part, operator)]
    return len(parts) <= MOST_JOINED and all(
        _is_plain(part) and not isinstance(part, syntax.And | syntax.Or) for part in parts)


def _joined(operand: Formula, operator: type[syntax.And | syntax.Or]) -> str:
    """Return an operand of this operator, quoted where it would need brackets."""
    other = isinstance(operand, syntax.And | syntax.Or) and not isinstance(operand, operator)
    return f"{quoted(operand)} holds" if other else _phrase(operand)


def _phrase(formula: Formula) -> str:
    """Return it as part of a sentence: in words if it is plain, else quoted."""
    return _meaning(formula) if _is_plain(formula) else f"{quoted(formula)} holds"


def quoted(formula: Formula) -> str:
    """Quote its text, truncated to LONGEST_QUOTE."""
    text = format_formula(formula)
    return f"`{text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE - 3] + '...'}`"


def _meaning(formula: Formula) -> str:
    match formula:
        case syntax.Constant(value):
            return "always" if value else "never"
        case syntax.Symbol(symbol):
            return f"the letter is {symbol}"
        case syntax.Predicate(name=name) if name in PLACES:
            return f"this is {PLACES[name]} position"
        case syntax.Predicate():
            return f"the number of this position satisfies {quoted(formula)}"
        case syntax.Not(syntax.Symbol() | syntax.Predicate() as plain) if _is_plain(plain):
            return _meaning(plain).replace(" is ", " is not ", 1)
        case syntax.Not(operand):
            return f"it is false that {_phrase(operand)}"
        case syntax.And(left, right):
            return f"{_joined(left, syntax.And)} and {_joined(right, syntax.And)}"
        case syntax.Or(left, right):
            return f"{_joined(left, syntax.Or)} or {_joined(right, syntax.Or)}"
        case syntax.Implies(left, right):
            return f"if {_phrase(left)}, then {_phrase(right)}"
        case syntax.Iff(left, right):
            return f"{_phrase(left)} if and only if {_phrase(right)}"
    return _meaning_elsewhere(formula)


def _meaning_elsewhere(formula: Formula) -> str:
    """Return the meaning of an operator that depends on other positions."""
    match formula:
        case syntax.Previous(operand):
            return f"there is a position just before this one, and there {_phrase(operand)}"
        case syntax.Next(operand):
            return f"there is a position just after this one, and there {_phrase(operand)}"
        case syntax.Since(left, right):
            return f"here or earlier {_phrase(right)}{_always(left, 'and from there up to here (there and here, too)')}"
        case syntax.Until(left, right):
            return f"here or later {_phrase(right)}{_always(left, 'and from here up to there (here and there, too)')}"
        case syntax.PredicateOnCount(name=name, count=count) if name in NUMBERS:
            return f"{_count(count)} is {NUMBERS[name]}"
        case syntax.PredicateOnCount(name=name, count=count):
            return f"{_count(count)} satisfies {name}"
        case syntax.PredicateOnSum(name=name, term=term):
            return f"{_term(term)} satisfies {name}"
        case syntax.Comparison(relation, left, right):
            return f"{_term(left)} is {RELATIONS[relation]} {_term(right)}"
    raise AssertionError(f"an unknown node: {formula!r}")


def _always(left: Formula, stretch: str) -> str:
    return "" if left is TRUE else f", {stretch} always {_phrase(left)}"


def _count(count: Count) -> str:
    return f"the number of positions {SIDES[count.side]} where {_phrase(count.operand)}"


def _term(term: Term) -> str:
    """Describe a sum in words; negative terms are last.

    >>> from constructions.language.parser import parse_formula
    >>> print(sentences(parse_formula("#<[Q_a] - 2*#>[Q_b] >= 1"))[-1][1])
    the number of positions up to here where the letter is a, minus 2 times the number of positions from here on where the letter is b is at least 1
    """  # noqa: E501
    plus = [(number, count) for number, count in term.coefficients if number > 0]
    minus = [(-number, count) for number, count in term.coefficients if number < 0]
    parts = [_times(number, count) for number, count in plus]
    if term.constant > 0 or not (parts or minus):
        parts.append(str(term.constant))
    text = ", and ".join(parts) or "0"
    for number, count in minus:
        text += f", minus {_times(number, count)}"
    return text + (f", minus {-term.constant}" if term.constant < 0 else "")


def _times(number: int, count: Count) -> str:
    return _count(count) if number == 1 else f"{number} times {_count(count)}"


# -- layers ------------------------------------------------------------------------------------------------------------


def describe_head(head: Head, network: Transformer) -> str:
    """Describe in a sentence what a head does."""
    written = [network.directions[name] for name in head.values]
    found = "; ".join(dict.fromkeys(map(describe_meaning, written)))
    if all(isinstance(meaning, Mean | Position | Product) for meaning in written):
        return f"Every position takes the mean over all positions {AMONG[head.mask]}, which is {found}."
    if "others counted" in head.name:
        return f"Every position attends to {LOOKED_UP}, and reads {found}."
    if deciding := _describe_deciding(head, written):
        return f"{deciding}. It reads {found}."
    what = head.name.replace("rightmost", "last").replace("leftmost", "first")
    return f"Every position attends to the {what} {AMONG[head.mask]}, and reads {found}."


def _describe_deciding(head: Head, written: list[Meaning]) -> str:
    """Describe the position that decides a since or until; empty for other heads."""
    for meaning in written:
        formula = meaning.formula if isinstance(meaning, Near) else None
        if isinstance(formula, syntax.Since | syntax.Until) and "deciding" in head.name:
            which, among = (("last", "up to it") if isinstance(formula, syntax.Since) else ("first", "from it on"))
            fails = "where " if formula.left is TRUE else f"where {quoted(formula.left)} fails or "
            return (f"Every position attends to the {which} position {among} that decides {quoted(formula)}: {fails}"
                    f"{quoted(formula.right)} holds")
    return ""


def describe_meaning(meaning: Meaning) -> str:
    """Describe a direction in words, without the paper's notation."""
    match meaning:
        case Truth(formula):
            return f"the truth of {quoted(formula)}"
        case Near(formula, when) if when is TRUE:
            return f"approximately the truth of {quoted(formula)}"
        case Near(formula, when):
            return f"approximately the truth of {quoted(formula)} where {_phrase(when)}"
        case Others():
            return f"approximately {str(meaning).removeprefix('near ')}"
    return str(meaning)


def describe_units(feed_forward: FeedForward, network: Transformer) -> str:
    """Describe the feed-forward block of a layer in a sentence; empty if there is none."""
    written = dict.fromkeys([name for unit in feed_forward.units for name in unit.writes] + list(feed_forward.bias))
    if not written:
        return ""
    parts = list(dict.fromkeys(describe_meaning(network.directions[name]) for name in written))
    more = f"; and {len(parts) - MOST_VALUES} more" if len(parts) > MOST_VALUES else ""
    return f"At each position, ReLUs compute {'; '.join(parts[:MOST_VALUES])}{more}."


def layers_in_words(network: Transformer) -> Iterator[tuple[str, ...]]:
    """Yield the distinct sentences of each layer."""
    for layer in network.layers:
        texts = [*(describe_head(head, network) for head in layer.heads), describe_units(layer.feedforward, network)]
        yield tuple(dict.fromkeys(text for text in texts if text))
