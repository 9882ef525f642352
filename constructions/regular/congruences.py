"""Quotients of an automaton that together decide its language: small automata instead of one."""

from collections.abc import Sequence

from constructions.regular.automata import Automaton, RegularLanguage


def factors(language: RegularLanguage) -> list[Automaton]:
    """Return quotients whose states together determine acceptance, each as small as merging finds it.

    Each is the quotient by a congruence that is maximal among those that separate some accepting state from some other
    state; no quotient is redundant.
    """
    automaton, count = language.automaton, len(language.automaton.steps)
    left = [(one, other) for one in sorted(language.accepting) for other in range(count)
            if other not in language.accepting]
    found: list[list[int]] = []
    while left:
        blocks = _largest_congruence(automaton, left[0])
        found.append(blocks)
        left = [(one, other) for one, other in left if blocks[one] == blocks[other]]
    found.sort(key=lambda blocks: len(set(blocks)))
    for blocks in found[::-1]:
        others = [one for one in found if one is not blocks]
        if _decide(others, language):
            found = others
    return [_quotient(automaton, blocks) for blocks in found]


def _decide(congruences: Sequence[list[int]], language: RegularLanguage) -> bool:
    """Return whether the blocks of a state, one of each congruence, determine whether it accepts."""
    accepts: dict[tuple[int, ...], bool] = {}
    return all(accepts.setdefault(tuple(blocks[state] for blocks in congruences), state in language.accepting)
               == (state in language.accepting) for state in range(len(language.automaton.steps)))


def _largest_congruence(automaton: Automaton, apart: tuple[int, int]) -> list[int]:
    """Return the block of each state in a maximal congruence that separates the two states.

    Pairs of a state and its successor by one letter are merged first, which finds quotients that few letters move.
    """
    states = range(len(automaton.steps))
    blocks = list(states)
    merges = [[(state, automaton.steps[state][letter]) for state in states]
              for letter in range(len(automaton.steps[0]))]
    merges += [[(one, other)] for one in states for other in range(one)]
    for pairs in merges:
        merged = _merged(automaton, blocks, pairs)
        if merged[apart[0]] != merged[apart[1]]:
            blocks = merged
    return blocks


def _merged(automaton: Automaton, blocks: list[int], pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the least congruence that contains ``blocks`` and merges the pairs; blocks are named by least states."""
    found = list(blocks)
    pending = list(pairs)
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
