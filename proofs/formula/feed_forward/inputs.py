"""Inputs of the units that write a direction, and what is free there: truths, and signs of comparisons of counts."""

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from constructions.language import syntax
from constructions.network.meanings import Meaning, Near, Position, Product, Slack, Truth
from proofs.enclosures.feed_forward import Units
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

MAX_CHOICES = 12
"""So many truth values and signs are free at most, for every one of 2^12 cases and more is looked at; the checker, too,
refuses more (docs/background/obligations.md, section 5)."""
FeedForwardMeaning = Position | Truth | Product | Slack
"""What units can make exact."""


@dataclass(frozen=True)
class ReadDirections:
    """The directions that units read: by the position alone, by the truth of a formula, or by a sign."""

    known: tuple[str, ...]
    by_truth: Mapping[str, Truth | Product | Near]
    slack: Mapping[str, Slack]

    def numbers(self) -> frozenset[str]:
        """Return the directions that hold numbers of the position, everywhere or where a formula holds."""
        return frozenset((*self.known, *(name for name, meaning in self.by_truth.items()
                                         if isinstance(meaning, Product))))


def sort_inputs(directions: Mapping[str, Meaning], known: KnownValues, units: Units) -> ReadDirections:
    """Everything that the units read.

    Raises:
        NotDerived: if a direction is read that is none of the three.
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
    """Raise NotDerived if slack is of another formula than a comparison of counts."""
    for meaning in meanings:
        if isinstance(meaning, Slack) and not _compares_counts(meaning.formula):
            raise NotDerived(f"a direction is {meaning}, and slack is that of a comparison of counts")


@dataclass(frozen=True)
class Choices:
    """What is free: the truth of each of the ``atoms``, and the sign of each of the ``terms``.

    ``placed`` are the formulas met whose truth (n, i) decides, everywhere or at an edge of the word.
    """

    atoms: tuple[syntax.Formula, ...]
    terms: tuple[syntax.Term, ...]
    placed: tuple[syntax.Formula, ...]


class _Leaves(Container[syntax.Formula]):
    """What is not taken apart: what is no connective, and what symbols alone, or (n, i), decide."""

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
    """The formulas read are atoms, unless others of them decide it; so is what else connectives lead to and neither
    position nor sign decides. Taken ``apart``, no connective is an atom unless it speaks of symbols alone.

    The latter is read by nobody: the units do without it, because what depends on it cancels. To leave it free is
    sound, since every word gives it some truth.

    Raises:
        NotDerived: if too much is free.
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
    """The meaning with ``φ since ψ`` written as ``φ & (ψ | prev (φ since ψ))`` if the latter is read, but not itself.

    ``until`` likewise, by ``next``. Where the position has no neighbour, ``prev`` is false, and it holds there, too.
    """
    read = [each.formula for each in inputs.by_truth.values()]
    match meaning:
        case Truth(syntax.Since() | syntax.Until() as formula) if formula not in read:
            before = syntax.Previous(formula) if isinstance(formula, syntax.Since) else syntax.Next(formula)
            if before in read:
                return Truth(syntax.And(formula.left, syntax.Or(formula.right, before)))
    return meaning


def _is_decided_by(read: Sequence[syntax.Formula], formula: syntax.Formula) -> bool:
    """Whether the formula is a connective that leads down to formulas of ``read`` and to positional ones only.

    A formula that is not deeper than any other of ``read`` leads to none of them, so that it need not be entered.
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
