"""Random networks of one layer, random machines and layouts, and what they do on every input."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import NormStep, Step, TrainedNetwork
from constructions.trained.tracks import Layout, TokenSource, Track, TracksClaim, Transducer, all_inputs
from proofs.trained.forward import FloatNetwork
from tests.trained.random_networks import Maker

VOCABULARY = 5
COLUMNS = 3


def random_layer(seed: int, layers: int = 1) -> TrainedNetwork:
    """Attention steps with one to three heads, and perhaps units and a norm."""
    maker = Maker(np.random.default_rng(seed), 0.7)
    width = int(maker.draw.integers(3, 7))
    tokens = maker.matrix(VOCABULARY, width)
    positions = maker.matrix(12, width) if maker.choice(True, True, False) else None
    steps: list[Step] = [maker.units(width)] if maker.choice(True, False, False) else []
    for _ in range(layers):
        steps.append(maker.attention(width))
        steps += [maker.units(width)] if maker.choice(True, True, False) else []
    steps += [NormStep(maker.norm(width))] if maker.choice(True, False) else []
    return TrainedNetwork("causal", tokens, positions, tuple(steps), maker.affine(width, VOCABULARY), maker.tensors)


def random_machine(draw: np.random.Generator, letters: int, answers: tuple[int, ...]) -> Transducer:
    """Two states, two tables with steps that are missing, an answer in each column and one at the end."""
    def step() -> tuple[int, ...] | None:
        return None if draw.random() < 0.15 else (int(draw.integers(2)), int(draw.choice(answers)))
    tables = tuple(tuple(tuple(step() for _ in range(letters)) for _ in range(2)) for _ in range(2))
    ends = [(int(draw.choice(answers)),), (int(draw.choice(answers)),)]
    return Transducer(0, tables, (ends[0], ends[1] if draw.random() < 0.7 else None))


def random_claim(seed: int, network: TrainedNetwork, answers: tuple[int, ...], among: tuple[int, ...]) -> TracksClaim:
    """Two tracks of two letters; places of the prompt, and of the answers, in any order; perhaps without an input."""
    draw = np.random.default_rng(seed + 10_000)
    tracks = tuple(Track(name, ("0", "1"), tuple(draw.permutation(VOCABULARY)[:2].tolist())) for name in "ab")
    machine = random_machine(draw, 4, answers)
    prompt = [TokenSource("token", int(draw.integers(VOCABULARY)))]
    prompt += [TokenSource("track", index, column) for index in range(2) for column in range(COLUMNS)]
    asked = [TokenSource("answer", 0, column) for column in range(COLUMNS)] + [TokenSource("end", 0)]
    layout = [prompt[k] for k in draw.permutation(len(prompt))] + [asked[k] for k in draw.permutation(len(asked))]
    columns = tuple(int(draw.integers(2)) for _ in range(COLUMNS))
    form = Layout(columns, tuple(layout))
    return TracksClaim(tracks, machine, (form,), 0, tuple(sorted({*among, *answers})), Fraction(0))


def least_margin(network: TrainedNetwork, claim: TracksClaim) -> float:
    """Over all inputs of all forms and all answers: the right logit less the greatest other one."""
    floats, least = FloatNetwork(network), np.inf
    for form in claim.forms:
        inputs = list(all_inputs(claim, form))
        if not inputs:
            continue
        tokens = np.array([claim.tokens(form, one) for one in inputs], np.intp)
        for place in form.asked:
            mine, right = floats.logits(tokens[:, :place], claim.offset, [place - 1])[:, 0], tokens[:, place]
            for other in claim.among:
                rest = np.where(right == other, np.inf, mine[np.arange(len(right)), right] - mine[:, other])
                least = min(least, float(rest.min()))
    return least


def averages(network: TrainedNetwork, tokens: NDArray[np.intp], place: int) -> list[NDArray[np.float64]]:
    """Return the output of each head, [inputs, width], at a place of these inputs, by the definition."""
    floats = FloatNetwork(network)
    step = floats.steps[floats.last_attention]
    numbers = np.arange(place + 1)
    stream = floats.embedded(tokens[:, :place + 1], numbers)
    for before in floats.steps[:floats.last_attention]:
        stream = floats.after(before, stream, numbers, numbers)
    found = step.averages(stream, numbers, np.array([place]))  # type: ignore[union-attr]  # the attention step
    return [average[:, 0] @ head.out for average, head in zip(found, step.heads, strict=True)]  # type: ignore[union-attr]
