"""Text and JSON of a hardened network."""

from typing import Any

from rich.console import Console
from rich.text import Text

from certify.claims.trained.decision import Decision
from certify.claims.trained.hard_programs import HardProgram
from certify.claims.trained.hardening import HardenedHead, Hardening, OwnScores
from certify.claims.trained.heads_show import describe_pattern
from certify.claims.trained.show import describe_claim, describe_network
from certify.claims.trained.showing import decision_to_json, describe_decision
from certify.common.terminal_tables import TableColumn, plain, print_table, verdict_text
from certify.common.verdicts import colour
from certify.common.words import show_powers
from constructions.language.printer import format_briefly
from constructions.trained.head_patterns import OF_KEYS

MAY_BE_NOWHERE = (*OF_KEYS, "previous", "start")
"""The patterns of which a prefix may have no position."""


def print_hardening(out: Console, found: Hardening) -> None:
    """Print the network, the pattern of each hard head, both decisions, and the verdict."""
    out.print(plain(describe_network(found.network)))
    out.print(plain(f"claim     {describe_claim(found.network, found.claim)}"))
    out.print()
    columns = [TableColumn("head"), TableColumn("attends hard to"), TableColumn("soft mass at least", "right"),
               TableColumn("on the word")]
    print_table(out, columns, [(
        f"{one.layer}.{one.head}", describe_pattern(one.pattern), *(
            ("", "") if one.mass is None else (f"{one.mass.least:.6g}", show_powers(one.mass.least_word))))
        for one in found.heads])
    for one in found.heads:
        if one.own is not None:
            out.print(plain(f"proved    {describe_own(one, one.own)}"))
    out.print()
    print_table(out, [TableColumn("attention"), TableColumn("verdict"), TableColumn("words")], [
        (name, verdict_text(decision.verdict), describe_decision(decision))
        for name, decision in (("soft, as trained", found.soft), ("hard", found.decision))])
    out.print()
    for line in describe_program(found.program):
        out.print(plain(line))
    out.print(Text(f"{found.verdict}:", style=colour(found.verdict)), plain(describe_hardening(found)))


def describe_own(one: HardenedHead, own: OwnScores) -> str:
    """Describe what is proved of the head's own scores."""
    name, times = f"head {one.layer}.{one.head}", f" (scores times {2**own.doublings})" * bool(own.doublings)
    return (f"the greatest score of {name} is at {describe_pattern(one.pattern)}{or_itself(one)}, without ties; that "
            f"its mass is above 1/2{times} is {describe_decision(own.decision)}")


def or_itself(one: HardenedHead) -> str:
    """Return the words for where a head attends if its pattern has no position."""
    return ", else to itself" * (one.pattern.name in MAY_BE_NOWHERE)


def describe_program(program: HardProgram | str) -> list[str]:
    """Describe the program of a hard network and what is proved of it, or why there is none; a line each."""
    if isinstance(program, str):
        return [f"program   none: {program}", ""] if program else []
    lines = program.text.strip().split("\n")
    length = ("its answers are those of the claim at every length" if program.states else
              "its answers are those of the claim at the lengths above" if program.wrong is None else
              f"its answer is not that of the claim on {show_powers(program.wrong)}")
    return [f"program   {lines[0]}", *[f"          {line}" for line in lines[1:]],
            *[f"formula   {format_briefly(formula)}" for formula in program.formulas],
            f"{'proved ' if program.decision.verdict == 'certified' else 'decided'}   the hard network has the "
            f"program's answers: {describe_decision(program.decision)}",
            f"          {length}", ""]


def program_to_json(program: HardProgram | str) -> dict[str, Any]:
    """Return the program as JSON."""
    if isinstance(program, str):
        return {"program": None, **({"reason": program} if program else {})}
    return {"program": {
        "text": program.text, "language": "C-RASP" if program.counts else "RASP",
        "formulas": [str(formula) for formula in program.formulas],
        "hard_network": decision_to_json(program.decision), "right_at_every_length": bool(program.states),
        "wrong": None if program.wrong is None else list(program.wrong)}}


def describe_hardening(found: Hardening) -> str:
    """Describe the verdict in a sentence."""
    heads = ", ".join(f"head {one.layer}.{one.head} to {describe_pattern(one.pattern)}{or_itself(one)}"
                      for one in found.heads)
    hard = f"with hard attention of {heads}, the network is {describe_decision(found.decision)}"
    if found.verdict != found.decision.verdict:
        return f"no hard attention was certified in {found.rounds} searches; {hard}"
    if not found.is_repaired:
        return hard
    soft, length = found.soft, ""
    if isinstance(soft, Decision) and soft.wrong is not None:
        length = f" at n = {len(soft.wrong.word)}"
    return f"{hard}; as trained it is wrong{length}"


def hardening_to_json(found: Hardening) -> dict[str, Any]:
    """Return the hardened network as JSON: the heads, and both decisions."""
    return {"verdict": found.verdict, "heads": [head_to_json(one) for one in found.heads],
            "repaired": found.is_repaired, "soft": decision_to_json(found.soft),
            "hard": decision_to_json(found.decision), **program_to_json(found.program), "searches": found.rounds,
            "seconds": round(found.seconds, 3)}


def head_to_json(one: HardenedHead) -> dict[str, Any]:
    """Return a hard head as JSON."""
    mass = {} if one.mass is None else {"soft_mass": one.mass.least, "soft_mass_word": list(one.mass.least_word)}
    own = {} if one.own is None else {"own_scores": decision_to_json(one.own.decision), "times": 2**one.own.doublings}
    return {"head": f"{one.layer}.{one.head}", "attends_to": str(one.pattern), "otherwise": "itself", **mass, **own}
