"""Steps of Adam on the words of a claim, in floating point: nothing is claimed about the result. This needs torch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from certify.learning.training.forward import TorchNetwork
from certify.learning.training.lessons import Batch, Draw, Item, Lessons, Pool, grouped
from certify.learning.training.rounds import Pace
from constructions.trained.network import TrainedNetwork

AT_ONCE = 2048
LONGEST_GRADIENT = 1.0


def in_torch(network: TrainedNetwork) -> TorchNetwork:
    """Load the network in binary64 if a tensor is, else in binary32; on one thread, for reproducible results."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    is_double = any(tensor.format == "binary64" for tensor in network.tensors.values())
    return TorchNetwork(network, "float64" if is_double else "float32")


def fit(network: TrainedNetwork, lessons: Lessons, pool: Pool, pace: Pace, draw: Draw,
        say: Callable[[int, float], None]) -> tuple[TrainedNetwork, float]:
    """Train for some steps; return the network and its loss over the last ones; unchanged if a number is not finite.

    The rate rises over a tenth of the steps and falls to 0 over the others. Each step uses random words, and as many of
    those that were wrong once, if there are any.
    """
    running = in_torch(network)
    learning = running.learning()
    optimizer = torch.optim.Adam(learning, lr=pace.rate)
    rising = max(pace.steps // 10, 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (pace.steps - step) / (pace.steps - rising + 1)))
    losses: list[float] = []
    for step in range(pace.steps):
        batches = [lessons.draw(pace.words, draw), pool.drawn(pace.words, draw)]
        optimizer.zero_grad()
        loss: Any = sum(loss_of(running, lessons, batch) for batch in batches if batch is not None)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, LONGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        say(step, losses[-1])
    fitted = running.as_data() if all(bool(torch.isfinite(numbers).all()) for numbers in learning) else network
    return fitted, float(np.mean(losses[-max(pace.steps // 10, 1):]))


def rows_of(network: TorchNetwork, lessons: Lessons, batch: Batch, streams: list[Any] | None = None) -> Any:
    """Return combinations of logits [B, P, rows] minus the margin; streams after attention go to ``streams``."""
    tokens = torch.from_numpy(batch.tokens)
    numbers = torch.from_numpy(batch.first)[:, None] + torch.arange(tokens.shape[1])
    logits = network(tokens, numbers, streams)[:, torch.from_numpy(batch.at)]
    return logits @ torch.from_numpy(lessons.forms).to(network.form) - lessons.margin


def loss_of(network: TorchNetwork, lessons: Lessons, batch: Batch) -> Any:
    """Return the mean cross-entropy of the required signs, plus ``apart`` of the inner layers' streams."""
    required, streams = torch.from_numpy(batch.asked).to(network.form), list[Any]()
    rows = rows_of(network, lessons, batch, streams)
    wrong = (functional.softplus(-rows) * required).sum() / required.sum().clamp(min=1)
    return wrong if batch.nodes is None else wrong + sum(apart(torch.from_numpy(batch.nodes), x) for x in streams[:-1])


def apart(nodes: Any, streams: Any) -> Any:
    """Return the mean squared distance of streams [B, T, width] with equal nodes at a place, over consecutive pairs."""
    order = torch.argsort(nodes, dim=0, stable=True)
    sorted_nodes, found = nodes.gather(0, order), streams.gather(0, order[..., None].expand_as(streams))
    squares, alike = (found[1:] - found[:-1]).square().sum(-1), sorted_nodes[1:] == sorted_nodes[:-1]
    return (squares * alike).sum() / alike.sum().clamp(min=1)


def margins(network: TrainedNetwork, lessons: Lessons, items: Sequence[Item],
            say: Callable[[int], None]) -> dict[Item, float]:
    """Return by how much the least required row of each item exceeds the margin, in floating point."""
    running, found = in_torch(network), {}
    for group in grouped(lessons, items).values():
        for start in range(0, len(group), AT_ONCE):
            part = group[start : start + AT_ONCE]
            for item, least in zip(part, least_of(running, lessons, lessons.batch(part)).tolist(), strict=True):
                if least < np.inf:
                    found[item] = least
            say(len(found))
    return found


def least_of(network: TorchNetwork, lessons: Lessons, batch: Batch) -> NDArray[np.float64]:
    """Return the least required row of each input; NaN counts as wrong."""
    with torch.no_grad():
        rows = rows_of(network, lessons, batch).to(torch.float64).numpy()
    least: NDArray[np.float64] = np.where(batch.asked, np.nan_to_num(rows, nan=-np.inf), np.inf).min(axis=(1, 2))
    return least
