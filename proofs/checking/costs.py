"""Estimated cost of the units of a decision (docs/background/trained_rules.md, section 8); no verdict depends on it."""

from collections.abc import Mapping

from proofs.check.checker.chapters.trained.balls.precision import HIGHEST, LOWEST, Undecided
from proofs.check.checker.chapters.trained.reading.cover import ClassesUnit, count_leaves
from proofs.check.checker.chapters.trained.reading.network import AttentionStep
from proofs.check.checker.chapters.trained.reading.words_claim import WordsUnit
from proofs.check.checker.chapters.trained.words.judge import Judge
from proofs.check.checker.chapters.trained.words.running import DecisionByCover

STEPS_A_SECOND = 1_000_000
PASS_STEPS = 20  # of a class, for each class that it sees, in each direction of each head
FORM_STEPS = 1000  # of the affine form of a class, for each coordinate of the stream


def estimate_decision(given: DecisionByCover) -> Mapping[str, int]:
    """Return the numbers of words and of nodes of classes, and about how many seconds they take."""
    judge = Judge(given.network, given.claim)
    cost = cost_of_token(judge)
    words = nodes = steps = 0
    for unit in given.evidence.units:
        if isinstance(unit, WordsUnit):
            for n in range(unit.first, unit.last + 1):
                words += (count := len(given.claim.alphabet) ** n)
                steps += count * cost * (1 if judge.network.causal else n + len(judge.tokens(())))
        else:
            found = nodes_of(given, unit)
            nodes += found
            cells = sum(count_leaves(tree) for tree in unit.cells or () if tree is not None)  # each is like a node
            steps += (found + cells) * cost_of_class(given, unit)
    return {"words": words, "nodes": nodes, "seconds": -(-steps // STEPS_A_SECOND)}


def cost_of_token(judge: Judge) -> int:
    """Return the steps for one token of a word, at the lowest precision that its numbers fit."""
    for level in range(LOWEST, HIGHEST + 1):
        try:
            return max(1, level) * (20 + judge.stacks.at(level).cost)
        except Undecided:
            pass
    return 0


def nodes_of(given: DecisionByCover, unit: ClassesUnit) -> int:
    """Return the nodes of the graph of a unit, down to its last level."""
    last = unit.last + len(given.claim.after)
    return len(given.claim.before) + sum(map(len, given.evidence.graphs[unit.graph][:last + 1]))


def cost_of_class(given: DecisionByCover, unit: ClassesUnit) -> int:
    """Return the steps for one node of a unit."""
    seen = nodes_of(given, unit)
    directions = sum(2 * head.value.weight.width for step in given.network.steps if isinstance(step, AttentionStep)
                     for head in step.heads)
    return seen * directions * PASS_STEPS // 20 + FORM_STEPS * given.network.width * len(given.network.steps)
