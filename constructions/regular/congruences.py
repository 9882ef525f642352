"""Quotients of an automaton that together decide its language: small automata in place of one."""

from __future__ import annotations

from constructions.regular.automata import Automaton, Language


def factors(language: Language) -> list[Automaton]:
    """Quotients whose states together say whether the automaton accepts, each as small as merging finds it.

    Each is the quotient by a congruence that is maximal among those that keep some accepting state apart from some
    other. The automaton itself, if it is smaller than all of them together.
    """
    automaton, count = language.automaton, len(language.automaton.steps)
    left = [(one, other) for one in sorted(language.accepting) for other in range(count)
            if other not in language.accepting]
    found: list[Automaton] = []
    while left:
        blocks = _largest_congruence(automaton, left[0])
        found.append(_quotient(automaton, blocks))
        left = [(one, other) for one, other in left if blocks[one] == blocks[other]]
    return sorted(found, key=lambda one: len(one.steps))


def _largest_congruence(automaton: Automaton, apart: tuple[int, int]) -> list[int]:
    """The block of each state in a maximal congruence that keeps the two states apart."""
    blocks = list(range(len(automaton.steps)))
    for one in blocks:
        for other in range(one):
            merged = _merged(automaton, blocks, one, other)
            if merged[apart[0]] != merged[apart[1]]:
                blocks = merged
    return blocks


def _merged(automaton: Automaton, blocks: list[int], one: int, other: int) -> list[int]:
    """The least congruence that contains another and merges two states; a block is named by its least state."""
    found = list(blocks)
    pending = [(one, other)]
    while pending:
        one, other = pending.pop()
        kept, gone = sorted((found[one], found[other]))
        if kept != gone:
            found = [kept if block == gone else block for block in found]
            pending += zip(automaton.steps[kept], automaton.steps[gone], strict=True)
    return found


def _quotient(automaton: Automaton, blocks: list[int]) -> Automaton:
    names = {block: number for number, block in enumerate(sorted(set(blocks)))}
    steps = tuple(tuple(names[blocks[after]] for after in automaton.steps[block]) for block in names)
    return Automaton(names[blocks[automaton.start]], steps)
