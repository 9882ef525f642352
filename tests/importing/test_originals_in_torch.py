"""The second interpreter of programs of torch.export has the logits of torch; it calls nothing that is not listed."""

import io
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.originals_torch import open_program
from constructions.errors import InputError
from tests.importing import graphs_in_torch as graphs
from tests.importing import habits_in_torch as habits
from tests.importing.test_exported_programs import HABITS, altered, classifier, program
from tests.importing.test_onnx_graphs import ANY_LENGTH, ONE_LENGTH
from tests.with_torch import torch_or_skip


def expect_same(torch: Any, data: bytes, words: list[list[int]]) -> None:
    """Exact: both call the same operations in the same order."""
    original, run = torch.export.load(io.BytesIO(data)).module(), open_program(data, "m.pt2", {})
    for word in words:
        with torch.no_grad():
            expected = original(torch.tensor([word])).double().numpy()
        np.testing.assert_allclose(run(word), expected, rtol=0, atol=1e-6)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("kind", (*ANY_LENGTH, *ONE_LENGTH, "window", "masked", *HABITS))
def test_a_program_of_one_length_is_run_as_torch_runs_it(kind: str) -> None:
    torch = torch_or_skip()
    model = (habits if kind in HABITS else graphs).make(torch, kind)
    expect_same(torch, program(torch, model), [[0, 1, 2, 3, 4, 0], [4, 4, 0, 1, 3, 2]])


@pytest.mark.one_in(7)
@pytest.mark.parametrize("kind", (*ANY_LENGTH, "bylength"))
def test_a_program_of_any_length_is_run_as_torch_runs_it(kind: str) -> None:
    torch = torch_or_skip()
    expect_same(torch, program(torch, graphs.make(torch, kind), dynamic=True),
                [[0, 1], [2, 0, 1], [0, 1, 2, 3, 4, 0, 1]])


def test_views_that_are_changed_in_place_are_changed_where_they_lie() -> None:
    torch = torch_or_skip()

    class InPlace(torch.nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(3, 4)
            self.register_buffer("calls", torch.zeros(1))

        def forward(self, tokens: Any) -> Any:
            x = self.table(tokens)
            x[..., :2].mul_(2)
            x[..., :2].add_(x[..., 2:])
            self.calls.add_(1)
            return torch.cat([x, x * self.calls], -1)[:, 0]

    data = program(torch, InPlace(), 2)
    table = torch.export.load(io.BytesIO(data)).state_dict["table.weight"][2].detach().numpy()
    expected = np.concatenate([2 * table[:2] + table[2:], table[2:]])
    run = open_program(data, "m.pt2", {})
    for _ in range(2):  # each run starts from the buffers of the file
        np.testing.assert_array_equal(run([2, 1]), [np.concatenate([expected, expected])])


def test_other_inputs_hold_what_is_given() -> None:
    torch = torch_or_skip()

    class WithPlaces(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, tokens: Any, places: Any, mask: Any) -> Any:
            return tokens * 100 + places * 10 + mask

    file = io.BytesIO()
    torch.export.save(torch.export.export(WithPlaces(), tuple(torch.zeros(3, 1, 3, dtype=torch.long))), file)
    run = open_program(file.getvalue(), "m.pt2", {"places": None, "mask": 7})
    np.testing.assert_array_equal(run([4, 5, 6]), [[407, 517, 627]])
    with pytest.raises(InputError, match=r"^m.pt2: .*: inputs other than the tokens that are not given$"):
        open_program(file.getvalue(), "m.pt2", {})


@pytest.mark.parametrize("target", ["aten.from_file.default", "aten.linear_.out", "aten.sym_size", "os.system.default",
                                    "higher_order.cond", "_operator.add", "aten.__class__.default", "aten.linear."])
def test_an_operation_that_is_not_listed_is_never_called(target: str) -> None:
    torch_or_skip()
    data = altered(lambda text: text.replace("torch.ops.aten.layer_norm.default", f"torch.ops.{target}"), classifier())
    with pytest.raises(InputError, match=r"^m.pt2: the program cannot be run [^\n]*$"):
        open_program(data, "m.pt2", {})([0] * 6)


@pytest.mark.parametrize("old, new", [('"major": 8', '"major": 9'), ("user_output", "x"),
                                      ('"as_int": 8}', '"as_int": 1099511627776}'), ('"nodes"', '"n"'), ("{", "")])
def test_a_damaged_program_is_one_line(old: str, new: str) -> None:
    torch_or_skip()
    with pytest.raises(InputError, match=r"^m.pt2: the program cannot be run [^\n]*$"):
        open_program(altered(lambda text: text.replace(old, new), classifier()), "m.pt2", {})([0] * 6)
