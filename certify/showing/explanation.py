"""`certify explain`: the fragment of a formula, and what each regime would build for it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import Console

from certify.showing.terminal_tables import plain
from certify.showing.words import counted, show_alphabet
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.fragments import fragment_of
from constructions.language.printer import Style, format_formula
from constructions.language.syntax import Formula, subformulas
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime


@dataclass(frozen=True)
class Explanation:
    """A formula, its fragment, and per regime the network or the reason why there is none."""

    formula: Formula
    alphabet: tuple[str, ...]
    gamma: Fraction
    networks: tuple[tuple[Regime, Transformer | str], ...]


def explain_formula(formula: Formula, alphabet: tuple[str, ...], gamma: Fraction,
                    as_printed: bool = False) -> Explanation:
    """Compile the formula in every regime."""
    return Explanation(formula, alphabet, gamma,
                       tuple((regime, _compile(formula, alphabet, regime, gamma, as_printed))
                             for regime in ALL_REGIMES))


def _compile(formula: Formula, alphabet: tuple[str, ...], regime: Regime, gamma: Fraction,
             as_printed: bool) -> Transformer | str:
    try:
        return compile_formula(formula, alphabet, regime, gamma, as_printed)
    except Unsupported as construct:
        return str(construct)


def print_explanation(out: Console, explanation: Explanation, style: Style, parenthesize: bool) -> None:
    """What a theorist asks before certifying."""
    parts = subformulas(explanation.formula)
    out.print(plain(f"formula   {format_formula(explanation.formula, style=style, parenthesize=parenthesize)}"))
    out.print(plain(f"alphabet  {show_alphabet(explanation.alphabet)}"))
    out.print(plain(f"fragment  {fragment_of(explanation.formula)}; {counted(len(parts), 'subformula')}"))
    out.print(plain(f"gamma     {explanation.gamma}, the constant in front of the scores"))
    for regime, network in explanation.networks:
        out.print()
        out.print(plain(f"regime {regime}", style="bold"))
        if isinstance(network, str):
            out.print(plain(f"  unsupported: {network}"))
            continue
        for name, value in network_facts(network, style).items():
            shown = ("; ".join(value) or "none") if isinstance(value, list) else str(value)
            out.print(plain(f"  {name:21}{shown}"))


def network_facts(network: Transformer, style: Style = "ascii") -> dict[str, Any]:
    """Statements used, sizes, temperature and position embeddings of a network."""
    def show(expression: Any) -> str:
        return str(expression.latex()) if style == "latex" else str(expression)

    heads = [head for _, _, head in network.heads()]
    return {
        "statements": sorted({head.source for head in heads}),
        "layers": len(network.layers),
        "heads": len(heads),
        "ReLUs": sum(len(layer.feedforward.units) for layer in network.layers),
        "directions": len(network.directions),
        "parameters": network.parameter_count(),
        "temperature": sorted({show(head.temperature) for head in heads}),
        "position embeddings": [show(expression) for expression in network.position_embedding.values()],
    }


def explanation_to_json(explanation: Explanation) -> dict[str, Any]:
    """The same facts, one object per regime."""
    return {
        "formula": format_formula(explanation.formula),
        "fragment": fragment_of(explanation.formula),
        "alphabet": list(explanation.alphabet),
        "gamma": str(explanation.gamma),
        "subformulas": [format_formula(part) for part in subformulas(explanation.formula)],
        "regimes": [
            {"regime": regime.sharpening.value, "causal": regime.causal,
             **({"unsupported": network} if isinstance(network, str) else network_facts(network))}
            for regime, network in explanation.networks
        ],
    }
