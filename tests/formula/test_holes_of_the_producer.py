"""Attacks on the rules that the producer alone must withstand, before the independent checker has its say."""

import pytest

from constructions.network.lengths import up_to
from proofs.formula.discharge import discharge
from proofs.words.replay import find_miss
from tests.formula.tiny_models import out_of_range_where_unguarded


@pytest.mark.parametrize(
    "when, value", [("FIRST", "10*(i-1)"), ("FIRST", "-(i-1)"), ("false", "2"), ("LAST & FIRST", "i-1")]
)
def test_values_stay_in_range_where_the_guard_does_not_hold_too(when: str, value: str) -> None:
    """Section 5, Range: a near direction is in [0, 1] always, and units may rely on it where ``when`` is false."""
    transformer = out_of_range_where_unguarded(when, value)
    assert any(find_miss(transformer, "1" * n) for n in range(1, 5))
    assert not all(line.proved for line in discharge(transformer, up_to(4)))


@pytest.mark.parametrize("temperature", ["1/10^9", "1/10^40"])
def test_enormous_scores_end_in_a_verdict_or_a_message_not_in_exhausted_memory(temperature: str) -> None:
    """Run in a process of its own with 1.5 GB, so that the failure is an exit status."""
    import subprocess
    import sys

    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
from dataclasses import replace
from certify.claims.formula.pipeline import certify_transformer
from constructions.network.lengths import up_to
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.regimes import Regime
t = compile_formula(parse_formula("Q_1 since Q_0"), "01", Regime())
layers = tuple(replace(l, heads=tuple(replace(h, temperature=parse_expression("{temperature}")) for h in l.heads))
               for l in t.layers)
try:
    print(certify_transformer(replace(t, layers=layers), 5).verdict)
except InputError as error:
    print("input", error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stdout.split()[0] in ("certified", "unknown", "input")
