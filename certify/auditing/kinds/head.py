"""Claims decided by `certify heads`: what a head of a trained network attends to (docs/howto/heads.md)."""

from dataclasses import replace

from certify.auditing.kinds.decide import answer_of, read_subject
from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer
from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.claims.trained.heads import answer_about_heads, read_bounds, read_heads_question
from certify.requests.run_command import part_command
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.formula.discharge import Progress

STATED = ("head", "on", "near", "at_least", "at_most", "within", "given")
"""The keys that are options of the command."""


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: one head, and one bound of its mass or its error.

    Raises:
        InputError: if a key is missing or malformed.
    """
    entry.needed("head")
    path, claim_path, network, words = read_subject(entry)
    given = {key: entry.get(key) for key in STATED}
    question = read_heads_question(words, given["head"], [given["on"]] if given["on"] else [],
                                   [given["near"]] if given["near"] else [], given["given"], False)
    bounds = read_bounds(given["at_least"], given["at_most"], given["within"])
    if not bounds.any:
        raise InputError("the claim states neither at_least, at_most nor within, so it is vacuous; expected one")
    options = [text for key, value in given.items() if value for text in (f"--{key.replace('_', '-')}", value)]
    command = part_command("heads", path, claim_path, [*options, "--max-n", str(entry.lengths.last)])

    def decide(lengths: Lengths, _progress: Progress) -> ClaimAnswer:
        """Decide every word of these lengths."""
        some = replace(words, lengths=(lengths.first, lengths.last))
        found = answer_about_heads(network, some, question, bounds, Settings())
        assert isinstance(found, Decision), "there is a bound"
        return answer_of(found, lengths, path, claim_path, command)

    on = f" on {given['on']}" if given["on"] else ""
    return Question(f"{path}: head {given['head']}{on}", decide)
