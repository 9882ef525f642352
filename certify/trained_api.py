"""`certify import`, `decide`, `learn`, `equal` and `train` for Python: networks and claims are the paths of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Literal, TypedDict, Unpack, get_args, overload

from certify.claims.floats.models import read_model
from certify.claims.trained.ablation import Ablation, answer_about_parts
from certify.claims.trained.answering import AnyCount, AnyDecision, count_right, decide_question
from certify.claims.trained.claim_file import Scope
from certify.claims.trained.comparing import with_comparison
from certify.claims.trained.count_question import read_count_question
from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.claims.trained.flags import Flags
from certify.claims.trained.hardening import Hardening, answer_about_hardening
from certify.claims.trained.heads import HeadsTable, answer_about_heads, read_bounds, read_heads_question
from certify.claims.trained.question import read_any_claim, read_question, read_trained
from certify.common.files import check_new_folder, write_text
from certify.common.output_guard import note_input
from certify.learning.equality import Equality, compare
from certify.learning.learn import Effort
from certify.learning.learn import learn as learn_network
from certify.learning.learned import Learned
from certify.learning.own_answers import own_answers
from certify.learning.requests import read_learning
from certify.learning.training.rounds import Training
from certify.requests.arguments import Exact, exact_text
from constructions.arguments import typed
from constructions.errors import InputError
from constructions.importing.config_file import positive_decimal
from constructions.importing.importer import Imported, files_of
from constructions.importing.importer import import_network as read_network
from constructions.importing.names_file import read_names
from constructions.importing.questions import Like, NormKind, Options, Place, Positions
from constructions.trained.json_form import network_text
from constructions.trained.network import Activation, Attends
from constructions.trained.tracks import TracksClaim

Path = str | PathLike[str]
CHOICES = {"attention": get_args(Attends), "activation": get_args(Activation), "norm": get_args(NormKind),
           "positions": get_args(Positions), "embedding_scale": ("sqrt(d)",), "like": get_args(Like)}
"""The arguments with a fixed set of values."""


@typed
def import_network(files: Path | Sequence[Path], output: Path | None = None, *, names: Path | None = None,
                   kind: str | None = None, attention: Attends | None = None, activation: Activation | None = None,
                   norm: NormKind | None = None, epsilon: Exact | None = None, heads: int | None = None,
                   norm_first: bool | None = None, positions: Positions | None = None, rows: int | None = None,
                   embedding_scale: Literal["sqrt(d)"] | None = None, token_table: str | None = None,
                   position_table: str | None = None, output_layer: str | None = None,
                   rotary_base: Exact | None = None, readout: str | None = None,
                   place: Mapping[str, Place] | None = None, given: Mapping[str, int | None] | None = None,
                   like: Like | None = None, expect: Path | None = None) -> Imported:
    """Read a trained transformer from its own files, and write it as exact numbers if there is an ``output``.

    The arguments are the options of the command (docs/howto/importing.md): ``place`` maps norms to places, ``given``
    inputs of a graph to numbers (None: the number of the place).

    Raises:
        InputError: if a file is damaged or of another kind, or an answer is missing.
    """
    paths = files_of([os.fspath(path) for path in ([files] if isinstance(files, str | PathLike) else files)])
    for path in paths:
        note_input(path)
    chosen = {"attention": attention, "activation": activation, "norm": norm, "positions": positions,
              "embedding_scale": embedding_scale, "like": like}
    for name, value in chosen.items():
        if value is not None and value not in CHOICES[name]:
            raise InputError(f"{name}: found {value!r}, expected one of {', '.join(CHOICES[name])}")
    answers = Options(
        attention, activation, norm, _positive("epsilon", epsilon), heads, norm_first, positions, rows,
        embedding_scale, token_table, position_table, output_layer, _positive("rotary_base", rotary_base),
        None if given is None else tuple(given.items()), kind, readout, None if place is None else tuple(place.items()),
        like)
    imported = read_network(paths, answers, None if names is None else read_names(os.fspath(names)), expect is not None)
    imported = with_comparison(imported, paths, dict(answers.given or ()), None if expect is None else
                               os.fspath(expect))
    if output is not None:
        write_text(os.fspath(output), network_text(imported.network))
    return imported


def _positive(name: str, value: Exact | None) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, Fraction) and value > 0:
        return value
    return positive_decimal(exact_text(name, value), name)


class CountKeys(TypedDict, total=False):
    """The options of a count: a share is a text or a `Fraction` up to 1, a number of inputs an `int`."""

    within: Exact | None
    at_least: Exact | None
    at_most: Exact | None
    exactly: Exact | None
    weights: Path | None


@overload
def decide(network: Path, claim: Path | None = None, max_n: int | None = None, min_n: int | None = None, *,
           count: Literal[True], effort: int = 1, floats: Path | None = None, **asked: Unpack[CountKeys]
           ) -> AnyCount: ...


@overload
def decide(network: Path, claim: Path | None = None, max_n: int | None = None, min_n: int | None = None,
           every: bool = False, *, count: Literal[False] = False, effort: int = 1, floats: Path | None = None
           ) -> AnyDecision: ...


@typed
def decide(network: Path, claim: Path | None = None, max_n: int | None = None, min_n: int | None = None,
           every: bool = False, *, count: bool = False, effort: int = 1, floats: Path | None = None,
           within: Exact | None = None, at_least: Exact | None = None, at_most: Exact | None = None,
           exactly: Exact | None = None, weights: Path | None = None) -> AnyDecision | AnyCount:
    """Decide whether a trained network is right on every word, of ``every`` length, too (docs/howto/decide.md).

    As the command does: a `Decision` has a row for each length; for long words Parikh images are decided
    (docs/howto/any_length.md), a `LengthsDecision`; a claim about tracks gives a `TracksDecision`
    (docs/howto/aligned.md). With ``count`` right inputs are counted (docs/howto/counts.md), a `TracksCount` or a
    `WordsCount`; the other keys are its options. ``floats`` is a float model.

    Raises:
        InputError: if a file is malformed, or the claim does not fit the network.
        Unsupported: if a language has no finite automaton, or Parikh images do not decide a claim about long words.
    """
    asked = {"within": within, "at_least": at_least, "at_most": at_most, "exactly": exactly,
             "weights": weights}
    given = [name for name, value in asked.items() if value is not None]
    read, claimed = read_any_claim(os.fspath(network), _path(claim), Flags(), Scope(max_n, min_n, every=every))
    if every and isinstance(claimed, TracksClaim):
        raise InputError("every: a claim about tracks, which does not take this option")
    settings, run = Settings(effort=effort), None if floats is None else read_model(os.fspath(floats))
    if count:
        return count_right(read, claimed, read_count_question(asked), settings, run, _path(weights))
    if given:
        raise InputError(f"{given[0]}: nothing is counted without count=True")
    return decide_question(read, claimed, every, settings, run)


@typed
def learn(network: Path, claim: Path | None = None, max_n: int | None = None, words: str | None = None,
          states: int = 64, effort: int = 1) -> Learned:
    """Return the automaton that a trained network computes on all words up to a length (docs/howto/learning.md).

    Raises:
        InputError: if a file is malformed, or the claim does not fit the network.
        Unsupported: if the claim depends on later letters.
    """
    question = read_learning(os.fspath(network), _path(claim), Flags(), Scope(max_n), words)
    return learn_network(*question, Settings(effort=effort), Effort(states=states))


@typed
def heads(network: Path, claim: Path | None = None, max_n: int | None = None, *, head: str | None = None,
          on: Sequence[str] = (), near: Sequence[str] = (), at_least: Exact | None = None,
          at_most: Exact | None = None, within: Exact | None = None, given: str | None = None, proved: bool = False,
          effort: int = 1) -> HeadsTable | Decision:
    """Return what heads attend to; with a bound the decision about one ``head`` (docs/howto/heads.md).

    ``on`` has patterns such as ``first`` or ``rightmost Q_a``; ``head`` is a layer and a head, as "1.2".

    Raises:
        InputError: if a file or a pattern is malformed, or they do not fit the network.
        Unsupported: if queries attend to later letters.
    """
    parsed, words = read_question(os.fspath(network), _path(claim), Flags(), Scope(max_n))
    bounds = read_bounds(*(None if one is None else exact_text(name, one) for name, one in (
        ("at_least", at_least), ("at_most", at_most), ("within", within))))
    question = read_heads_question(words, head, on, near, given, proved)
    return answer_about_heads(parsed, words, question, bounds, Settings(effort=effort))


@typed
def ablate(network: Path, claim: Path | None = None, max_n: int | None = None, *, heads: Sequence[str] = (),
           neurons: Sequence[str] = (), edges: Sequence[str] = (), to: Literal["zero", "mean"] = "zero",
           equal: bool = False, effort: int = 1) -> Ablation:
    """Return a minimal circuit that gives all answers, or the decision without some parts (docs/howto/heads.md).

    ``heads`` and ``neurons`` are parts that go, as "1.2" or "1.1-50", ``edges`` as "tokens -> head 1.1"; or ["search"]
    for circuits of edges. If ``equal``, answers are those of the network itself.

    Raises:
        InputError: if a file or a part is malformed, or they do not fit the network.
        Unsupported: if no method decides words of these lengths.
    """
    (parsed, words), answers = read_question(os.fspath(network), _path(claim), Flags(), Scope(max_n)), None
    settings = Settings(effort=effort)
    if equal:
        words, answers = own_answers(parsed, words, settings)
    return answer_about_parts(parsed, words, heads, neurons, edges, to, settings, answers)


@typed
def harden(network: Path, claim: Path | None = None, max_n: int | None = None, *, pattern: Sequence[str] = (),
           effort: int = 1) -> Hardening:
    """Return the network with hard attention, decided beside the network as trained (docs/howto/heads.md).

    ``pattern`` has heads and patterns, as "1.1=first"; without it the best ones are searched.

    Raises:
        InputError: if a file or a pattern is malformed, or they do not fit the network.
        Unsupported: if no method decides words of these lengths, or a pattern is not for this layer.
    """
    question = read_question(os.fspath(network), _path(claim), Flags(), Scope(max_n))
    return answer_about_hardening(*question, pattern, Settings(effort=effort))


@typed
def equal(network: Path, second: Path, claim: Path | None = None, max_n: int | None = None, words: str | None = None,
          states: int = 64, effort: int = 1) -> Equality:
    """Decide whether two trained networks give the same answers on all words up to a length (docs/howto/learning.md).

    Raises:
        InputError: if a file is malformed, or the claim does not fit a network.
        Unsupported: if the claim depends on later letters.
    """
    first, question = read_learning(os.fspath(network), _path(claim), Flags(), Scope(max_n), words)
    other = read_trained(os.fspath(second))[0]
    return compare(first, other, question, Settings(effort=effort), Effort(states))


@typed
def train(task: str | PathLike[str], output: Path | None = None, *, network: Path | None = None,
          max_n: int | None = None, min_n: int | None = None, layers: int = 1, width: int = 16, heads: int = 1,
          units: int | None = None, rounds: int = 20, steps: int = 500, seed: int = 1, effort: int = 1,
          at_least: Exact | None = None) -> Training:
    """Train a network for a task (a claim file, or the name of an example) until it is proved (docs/howto/training.md).

    With ``at_least`` until this share, or number, of inputs is proved right. If a ``network`` is given, it is repaired
    instead. The folder ``output`` gets the network, its claim and certificates.

    Raises:
        InputError: if the task is malformed, or the folder cannot be written.
        Unsupported: without torch.
    """
    from certify.learning.training import check_torch
    from certify.learning.training.folder import write_training
    from certify.learning.training.fresh import Sizes
    from certify.learning.training.rounds import Pace, TrainingBudget, checked
    from certify.learning.training.task import lessons_of, new_network, read_task

    amount = read_count_question({"at_least": at_least}).at_least
    parsed = read_task(os.fspath(task), Flags(), Scope(max_n, min_n))
    if output is not None:
        check_new_folder(os.fspath(output))
    check_torch()
    from certify.learning.training.train import repair_of
    from certify.learning.training.train import train as train_network

    budget, settings = checked(TrainingBudget(rounds, Pace(steps), seed, amount)), Settings(effort=effort)
    made, begun = ((None, read_trained(os.fspath(network))[0]) if network is not None else
                   new_network(parsed, Sizes(layers, width, heads, units), seed))
    claim = parsed.claim(begun)
    training = train_network(begun, lessons_of(begun, claim), made, budget, settings)
    if output is not None:
        repair = repair_of(begun, training, settings) if network is not None else None
        write_training(os.fspath(output), training, parsed, claim, made, repair)
    return training


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
