"""Inputs of the hidden units that write a direction, and the free truths and signs of differences of counts."""

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from constructions.language import syntax
from constructions.network.meanings import Meaning, Near, Position, Product, Slack, Truth
from proofs.enclosures.feed_forward import Units
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

MAX_CHOICES = 12
"""The limit of free truth values and signs, since each of 2^12 cases or more is checked; the checker has the same limit
(docs/background/obligations.md, section 5)."""
FeedForwardMeaning = Position | Truth | Product | Slack
"""Meanings that units can make exact."""


@dataclass(frozen=True)
class ReadDirections:
    """The directions that units read: known ones, those that the truth of a formula decides, and slack."""

    known: tuple[str, ...]
    by_truth: Mapping[str, Truth | Product | Near]
    slack: Mapping[str, Slack]

    def numbers(self) -> frozenset[str]:
        """Return the directions that hold functions of the position, everywhere or where a formula holds."""
        return frozenset((*self.known, *(name for name, meaning in self.by_truth.items()
                                         if isinstance(meaning, Product))))


def sort_inputs(directions: Mapping[str, Meaning], known: KnownValues, units: Units) -> ReadDirections:
    """Sort the directions that units read into three kinds.

    Raises:
        NotDerived: if a direction is of another kind.
    """
    by_truth: dict[str, Truth | Product | Near] = {}
    slack: dict[str, Slack] = {}
    names = dict.fromkeys(name for reads, _, _ in units for name in reads)
    for name in names:
        match directions[name]:
            case _ if name in known:
                pass
            case Truth() | Product() | Near() as meaning:
                by_truth[name] = meaning
            case Slack() as meaning:
                slack[name] = meaning
            case meaning:
                raise NotDerived(f"a unit reads {name}, {meaning}, which units may not read")
    return ReadDirections(tuple(name for name in names if name in known), by_truth, slack)


def _compares_counts(formula: syntax.Formula) -> bool:
    return isinstance(formula, syntax.Comparison) and not syntax.is_positional(formula)


def check_slack(meanings: Iterable[Meaning]) -> None:
    """Check that all slack is for comparisons of counts; raise NotDerived if not."""
    for meaning in meanings:
        if isinstance(meaning, Slack) and not _compares_counts(meaning.formula):
            raise NotDerived(f"a direction is {meaning}, and slack belongs to a comparison of counts")


@dataclass(frozen=True)
class Choices:
    """The free truths of the ``atoms``, and the free signs of the ``terms``.

    ``placed`` has the formulas whose truth (n, i) decides, everywhere or at an edge of the word.
    """

    atoms: tuple[syntax.Formula, ...]
    terms: tuple[syntax.Term, ...]
    placed: tuple[syntax.Formula, ...]


class _Leaves(Container[syntax.Formula]):
    """The formulas that are not taken apart: all except connectives, and those that symbols or (n, i) decide."""

    def __contains__(self, part: object) -> bool:
        return isinstance(part, syntax.Formula) and (
            syntax.is_positional(part) or syntax.is_symbolic(part) or not syntax.operands_of_connective(part))


def _find_free(read: Sequence[syntax.Formula], apart: bool) -> list[syntax.Formula]:
    if not apart:
        return [formula for formula in read if not _is_decided_by(read, formula)]
    leaves = [part for part in syntax.boolean_closure(read, closed=_Leaves()) if part in _Leaves()]
    return [part for part in leaves if part in read or not (syntax.is_positional(part) or _compares_counts(part))]


def find_choices(meaning: FeedForwardMeaning, inputs: ReadDirections, given: syntax.Formula,
                 apart: bool = False) -> Choices:
    """Find the atoms and the signs that are free.

    The atoms are the formulas that are read, unless others of them decide them, and further leaves decided by neither
    position nor sign; the effects of these must cancel. That they are free is sound: every word gives them some truth.
    With ``apart``, a connective is an atom only if it is over symbols.

    Raises:
        NotDerived: if there are more than MAX_CHOICES free truths and signs.
    """
    read = list(dict.fromkeys(each.formula for each in inputs.by_truth.values()))
    guards = [each.when for each in inputs.by_truth.values() if isinstance(each, Near)]
    evaluated = [given, *guards, *(each.formula for each in inputs.slack.values())]
    evaluated += [] if isinstance(meaning, Position) else [meaning.formula]
    free = _find_free(read, apart)
    parts = [part for part in syntax.boolean_closure([*evaluated, *read], closed=free) if part not in free]
    compared = [part for part in parts if isinstance(part, syntax.Comparison) and _compares_counts(part)]
    unread = [part for part in parts
              if not (syntax.operands_of_connective(part) or isinstance(part, syntax.Comparison)
                      or syntax.is_positional(part))]
    terms = tuple(dict.fromkeys(map(syntax.difference, compared)))
    if (choices := len(free) + len(unread) + len(terms)) > MAX_CHOICES:
        raise NotDerived(f"{choices} truth values and signs are free, at most {MAX_CHOICES} are handled")
    placed = [part for part in (*free, *parts)
              if isinstance(part, syntax.Previous | syntax.Next) or syntax.is_positional(part)]
    return Choices((*free, *unread), terms, tuple(dict.fromkeys(placed)))


def unfolded(meaning: FeedForwardMeaning, inputs: ReadDirections) -> FeedForwardMeaning:
    """Rewrite ``φ since ψ`` as ``φ & (ψ | prev (φ since ψ))`` if its ``prev`` is read, but not the formula itself.

    ``until`` is rewritten by ``next``. The equivalence also holds at the edge, where ``prev`` and ``next`` are false.
    """
    read = [each.formula for each in inputs.by_truth.values()]
    match meaning:
        case Truth(syntax.Since() | syntax.Until() as formula) if formula not in read:
            before = syntax.Previous(formula) if isinstance(formula, syntax.Since) else syntax.Next(formula)
            if before in read:
                return Truth(syntax.And(formula.left, syntax.Or(formula.right, before)))
    return meaning


def _is_decided_by(read: Sequence[syntax.Formula], formula: syntax.Formula) -> bool:
    """Return whether the formula is a Boolean combination of other formulas of ``read`` and of positional ones.

    A formula that is not deeper than any other of ``read`` contains none of these, so its operands are not visited.
    """
    least = min((other.depth for other in read if other is not formula), default=formula.depth)
    reached = dict.fromkeys(syntax.operands_of_connective(formula))
    pending = deque(reached)
    while pending:
        part = pending.popleft()
        if part in read or syntax.is_positional(part):
            continue
        if part.depth <= least or not syntax.operands_of_connective(part):
            return False
        new = [operand for operand in syntax.operands_of_connective(part) if operand not in reached]
        reached |= dict.fromkeys(new)
        pending += new
    return bool(reached)
