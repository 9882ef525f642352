"""Training for what is proved: inner layers learn to write what follows from a step of the machine."""

from typing import Any

import numpy as np
import pytest

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.flags import flags_of
from certify.learning.training.fresh import Sizes
from certify.learning.training.lessons import Pool
from certify.learning.training.rounds import Pace
from certify.learning.training.task import lessons_of, new_network, read_task
from certify.learning.training.track_lessons import TrackLessons
from constructions.errors import InputError
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, all_inputs
from tests.with_torch import torch_or_skip

COPY = {"machine": "copy", "alphabet": "01", "columns": "3", "layout": "word,2,answer"}


def question(**options: Any) -> tuple[TrainedNetwork, TracksClaim]:
    task = read_task(None, flags_of(options), Scope())
    network = new_network(task, Sizes(layers=2, width=8), 1)[1]
    claim = task.claim(network)
    assert isinstance(claim, TracksClaim)
    return network, claim


def test_places_with_the_same_step_and_the_same_window_have_the_same_number() -> None:
    network, claim = question(**COPY)
    inputs = [*all_inputs(claim, claim.forms[0])]
    items = [(0, tuple(column[0] for column in one)) for one in inputs]
    for window in (1, 2, 3):
        nodes = TrackLessons(network, claim, window).batch(items).nodes
        assert nodes is not None and nodes.shape == (8, 6)
        told = [len(set(nodes[:, place].tolist())) for place in range(6)]
        # three letters; the separator and the first two answers, each with the answer after it
        first, second, third = 2, 2 ** min(window, 2), 2 ** min(window, 3)
        assert told == [first, second, third, first, max(4, second), {1: 4, 2: 8, 3: 8}[window]]
    assert TrackLessons(network, claim).batch(items).nodes is None


def test_what_inner_layers_write_beyond_their_steps_falls_in_training() -> None:
    torch_or_skip()
    import torch

    from certify.learning.training.fitting import apart, fit, in_torch, rows_of

    network, claim = question(**COPY)
    found = []
    for window in (0, 1):
        lessons = lessons_of(network, claim, window)
        fitted, _ = fit(network, lessons, Pool(lessons), Pace(40, 16), np.random.default_rng(1), lambda *_: None)
        batch, attended = lessons_of(network, claim, 1).draw(64, np.random.default_rng(2)), list[Any]()
        with torch.no_grad():
            rows_of(in_torch(fitted), lessons, batch, attended)
        assert batch.nodes is not None and len(attended) == 2
        found.append(float(apart(torch.from_numpy(batch.nodes), attended[0])))
    assert found[1] < found[0] / 4


def test_streams_are_compared_where_their_numbers_are_the_same() -> None:
    torch_or_skip()
    import torch

    from certify.learning.training.fitting import apart

    nodes = torch.tensor([[1, 5], [2, 5], [1, 6]])
    streams = torch.tensor([[[0.0, 0.0], [1.0, 0.0]], [[9.0, 9.0], [1.0, 2.0]], [[3.0, 0.0], [7.0, 7.0]]])
    assert float(apart(nodes, streams)) == (9 + 4) / 2
    assert float(apart(torch.tensor([[1], [2]]), streams[:2, :1])) == 0


def test_windows_are_of_inputs_in_tracks() -> None:
    task = read_task("tomita_1", flags_of({}), Scope(max_n=3))
    network = new_network(task, Sizes(width=4), 1)[1]
    for window, reason in ((1, "--window: of inputs in tracks"), (-1, "--window: -1, expected 0 or more")):
        with pytest.raises(InputError, match=reason):
            lessons_of(network, task.claim(network), window)
