"""Text and JSON of a certified circuit."""

from typing import Any

from rich.console import Console
from rich.text import Text

from certify.claims.trained.ablation import Ablation, name_of
from certify.claims.trained.show import describe_claim, describe_network
from certify.claims.trained.showing import decision_to_json, describe_decision
from certify.common.terminal_tables import TableColumn, plain, print_table
from certify.common.verdicts import colour
from certify.common.words import counted, show_powers
from proofs.trained.circuits import Part, edges_of, parts_of


def print_ablation(out: Console, ablation: Ablation) -> None:
    """Print the network, the circuit, the verdict, and the words that need its parts."""
    network, has_edges = ablation.network, any(part.to for part in ablation.whole)
    everything = [*parts_of(network), *edges_of(network) * has_edges]
    out.print(plain(describe_network(network)))
    out.print(plain(f"claim     {describe_claim(network, ablation.claim)}"))
    if ablation.answers is not None:
        states = 0 if ablation.claim.automaton is None else len(ablation.claim.automaton.steps)
        out.print(plain(f"answers   the network's own, by an automaton with {counted(states, 'state')}"))
    for noun in ("head", "neuron", *["edge"] * has_edges):
        kept = sorted(part for part in ablation.circuit if noun_of(part) == noun)
        total = sum(noun_of(part) == noun for part in everything)
        names = ", ".join(name_of(network, part).removeprefix(noun * (not part.to)).strip() for part in kept)
        out.print(plain(f"{noun + 's':9} {len(kept)} of {total} kept{': ' * bool(names)}{names}"))
    earlier = ", unless the network's own edits set them" if len(ablation.whole) < len(everything) else ""
    out.print(plain(f"others    set to {'0' if ablation.to == 'zero' else 'their means over words'}{earlier}"))
    out.print()
    if ablation.needed:
        print_table(out, [TableColumn("needed"), TableColumn("without it, wrong on the word"), TableColumn("proved")],
                    [(name_of(network, one.part), "(none found)" if one.word is None else show_powers(one.word.word),
                      "yes" if one.certificate else "no") for one in ablation.needed])
        out.print()
    minimal = ""
    if ablation.is_minimal:
        minimal = f"; minimal: none of its {counted(len(ablation.circuit), 'part')} can go" if ablation.circuit else (
            "; minimal: it has no parts")
    decided = f"the circuit: {describe_decision(ablation.decision)}"
    if ablation.verdict != ablation.decision.verdict:
        decided = (f"no circuit was certified in {ablation.rounds} searches; the last one is "
                   f"{ablation.decision.verdict}: {describe_decision(ablation.decision)}")
    out.print(Text(f"{ablation.verdict}:", style=colour(ablation.verdict)), plain(decided + minimal))


def noun_of(part: Part) -> str:
    """Return the noun of a part."""
    return "edge" if part.to else "head" if part.is_head else "neuron"


def ablation_to_json(ablation: Ablation) -> dict[str, Any]:
    """Return the circuit as JSON."""
    edges = edges_of(ablation.network) if any(part.to for part in ablation.whole) else []
    names = {part: name_of(ablation.network, part) for part in [*parts_of(ablation.network), *edges]}
    return {"verdict": ablation.verdict, "kept": [names[part] for part in sorted(ablation.circuit)],
            "dropped": [name for part, name in names.items() if part not in ablation.circuit], "others": ablation.to,
            "equal": ablation.answers is not None,
            "minimal": ablation.is_minimal,
            "needed": [{"part": names[one.part], "word": None if one.word is None else list(one.word.word),
                        "proved": one.certificate is not None} for one in ablation.needed],
            "decision": decision_to_json(ablation.decision), "seconds": round(ablation.seconds, 3)}
