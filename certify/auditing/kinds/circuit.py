"""Claims decided by `certify ablate`: a trained network needs only these parts (docs/howto/heads.md)."""

from dataclasses import replace

from certify.auditing.kinds.decide import answer_of, read_subject
from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer
from certify.claims.trained.ablation import decide_circuit, name_of, read_parts
from certify.requests.run_command import part_command
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from constructions.trained.edits import unedited
from proofs.formula.discharge import Progress
from proofs.trained.circuits import CircuitSearch, To


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: the parts that are kept; all others are set to 0 or to their means.

    Raises:
        InputError: if a key is missing or malformed, or the network has no such part.
    """
    if "kept_heads" not in entry.table and "kept_neurons" not in entry.table:
        raise InputError("no key kept_heads or kept_neurons, expected the parts that are kept")
    path, claim_path, network, claim = read_subject(entry)
    to: To = entry.choice("to", "zero", "mean")
    original, whole = unedited(network)[0], CircuitSearch(network, claim).whole
    kept = {part for is_head, key in ((True, "kept_heads"), (False, "kept_neurons"))
            for part in read_parts(original, [entry.get(key)] if entry.get(key) else [], is_head)}
    dropped = sorted(whole - kept)
    options = [text for is_head, option in ((True, "--heads"), (False, "--neurons"))
               if (names := [name_of(original, part).split()[1] for part in dropped if part.is_head is is_head])
               for text in (option, ",".join(names))]
    command = part_command("ablate", path, claim_path, [*options, "--to", to, "--max-n", str(entry.lengths.last)])

    def decide(lengths: Lengths, _progress: Progress) -> ClaimAnswer:
        """Decide every word of these lengths."""
        some = replace(claim, lengths=(lengths.first, lengths.last))
        return answer_of(decide_circuit(network, some, dropped, to).decision, lengths, path, claim_path, command)

    return Question(f"{path} satisfies {claim_path or 'its own claim'} by {len(kept & whole)} of {len(whole)} parts",
                    decide)
