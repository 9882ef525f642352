"""torch and ONNX Runtime are right at the lengths that float_executions.json calls certified."""

import io
import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.float_search import WrongRuns
from constructions.trained.claim import judged
from examples.trained.zoo import Plan, plans
from proofs.enclosures.float_models.model import presets
from tests.importing.quantised_files import weights_of
from tests.with_torch import torch_or_skip

KEPT = json.loads((Path(__file__).parents[2] / "benchmarks" / "float_executions.json").read_text(encoding="utf-8"))
GPT = [plan for plan in plans().values() if plan.kind == "gpt" and plan.name in KEPT]


def in_torch(torch: Any, plan: Plan, form: str) -> Any:
    from examples.trained import networks

    arrays = weights_of(plan.folder)
    shape = networks.NetworkSizes(len(arrays["transformer.wte.weight"]), plan.rows, plan.layers, plan.heads)
    model = networks.GPT(shape)
    model.load_state_dict({key: torch.from_numpy(array.copy()) for key, array in arrays.items()})
    return model.eval().to(getattr(torch, form))


def answers(torch: Any, model: Any, inputs: Any, by: str) -> Any:
    given = torch.from_numpy(inputs.astype(np.int64)), torch.arange(inputs.shape[1])[None].expand(len(inputs), -1)
    if by == "torch":
        with torch.no_grad():
            return model(*given).double().numpy()
    runtime = pytest.importorskip("onnxruntime")
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, given, file, input_names=["tokens", "numbers"], dynamo=False)
    session = runtime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    found = session.run(None, dict(zip(("tokens", "numbers"), (one.numpy() for one in given), strict=True)))
    return found[0].astype(np.float64)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "form", "by"), [
    ("binary32", "float32", "torch"), ("binary32", "float32", "onnxruntime"),
    ("bfloat16/binary32", "bfloat16", "torch")])
@pytest.mark.parametrize("plan", GPT, ids=lambda plan: str(plan.name))
def test_no_answer_is_wrong_at_a_certified_length(plan: Plan, name: str, form: str, by: str) -> None:
    torch = torch_or_skip()
    network = plan.network()
    claim = replace(plan.claim(network), offsets=(0, 0))
    judge = WrongRuns(network, claim, presets()[name], 1)
    model, asked = in_torch(torch, plan, form), 0
    for n in range(claim.lengths[0], KEPT[plan.name][name]["certified_to"] + 1):
        words = judge._live(n)
        places, at = map(list, zip(*judged(claim, n), strict=True))
        held = judge.judge.cases.hold(words)[:, places]
        margins = judge.judge.rows.margins(answers(torch, model, judge.judge.inputs(words), by)[:, at], held)
        assert margins.min() > 0
        asked += int(np.isfinite(margins).sum())
    assert asked > 0
