"""Claims decided by `certify ablate`: a trained network needs only these parts (docs/howto/heads.md)."""

from dataclasses import replace

from certify.auditing.kinds.decide import answer_of, read_subject
from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer
from certify.claims.trained.ablation import decide_circuit, name_of, read_edges, read_parts
from certify.common.words import counted
from certify.requests.run_command import part_command
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from constructions.trained.edits import unedited
from proofs.formula.discharge import Progress
from proofs.trained.circuits import CircuitSearch, To


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: heads and neurons that are kept, edges that are cut; the others go.

    Raises:
        InputError: if a key is missing or malformed, or the network has no such part.
    """
    keeps = "kept_heads" in entry.table or "kept_neurons" in entry.table
    if not keeps and "cut_edges" not in entry.table:
        raise InputError("no key kept_heads, kept_neurons or cut_edges, expected the parts that are kept, or edges")
    path, claim_path, network, claim = read_subject(entry)
    to: To = entry.choice("to", "zero", "mean")
    original, whole = unedited(network)[0], CircuitSearch(network, claim).whole
    kept = {part for is_head, key in ((True, "kept_heads"), (False, "kept_neurons"))
            for part in read_parts(original, [entry.get(key)] if entry.get(key) else [], is_head)}
    edges = read_edges(original, [entry.get("cut_edges")]) if "cut_edges" in entry.table else []
    dropped = sorted(whole - kept) if keeps else []
    options = [text for is_head, option in ((True, "--heads"), (False, "--neurons"))
               if (names := [name_of(original, part).split()[1] for part in dropped if part.is_head is is_head])
               for text in (option, ",".join(names))]
    options += ["--edges", ", ".join(name_of(original, edge) for edge in edges)] if edges else []
    command = part_command("ablate", path, claim_path, [*options, "--to", to, "--max-n", str(entry.lengths.last)])

    def decide(lengths: Lengths, _progress: Progress) -> ClaimAnswer:
        """Decide every word of these lengths."""
        some = replace(claim, lengths=(lengths.first, lengths.last))
        decision = decide_circuit(network, some, [*dropped, *edges], to).decision
        return answer_of(decision, lengths, path, claim_path, command)

    without = f", without {counted(len(edges), 'edge')}" if edges else ""
    return Question(f"{path} satisfies {claim_path or 'its own claim'} by {len(whole) - len(dropped)} of {len(whole)} "
                    f"parts{without}", decide)
