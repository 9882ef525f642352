"""Inputs in tracks, every one of them in every run of each class; docs/floats.md, section 7, Inputs in tracks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ....kernel.budget import Budget
from ....kernel.kind import entry
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import headed
from ...run_classes.reading import FloatClaim, read_floats
from ..reading.decision import LogitRow
from ..reading.tracks import TracksCertificate, read_forms
from ..tracks.describing import describe_tracks
from ..tracks.each_input import ProvesRows
from ..tracks.proof import prove_tracks
from ..words.running import Runner
from .casting import cast_network
from .classes import Runs
from .describing import words_of_run
from .proof import RowsInRuns, prove_in_each
from .stack import FloatStack

FORMAT_OF_TRACK_RUNS = "certify-track-runs"


@dataclass(frozen=True)
class TrackRuns(TracksCertificate):
    """A claim about inputs in tracks, and the classes of runs in each of which it holds."""

    floats: tuple[FloatClaim, ...]


def read_track_runs(document: Json, budget: Budget) -> TrackRuns:
    """The certificate that a document holds."""
    fields = headed(document, FORMAT_OF_TRACK_RUNS, "network", "claim", "floats", "units")
    given = read_forms(fields, budget)
    most = given.claim.max_n
    return TrackRuns(**vars(given), floats=fields.read("floats", partial(read_floats, lengths=range(most, most + 1))))


def prove_track_runs(given: TrackRuns) -> Mapping[str, int]:
    """All inputs of every form, in every run of every class of runs.

    Raises:
        Rejected: if a row is not known to be above the margin, or there is no rule for what the network does.
    """
    def prove(run: FloatClaim) -> Mapping[str, int]:
        stack = FloatStack(given.language.budget, cast_network(given.network, run), run)
        return prove_tracks(given, partial(make_prover, given, stack), Runs(stack))

    return prove_in_each(given.floats, prove)


def make_prover(given: TrackRuns, stack: FloatStack, rows: Sequence[LogitRow], may_stand: Sequence[Sequence[int]]
                ) -> ProvesRows:
    """What proves these rows after inputs with these tokens at each place."""
    offset, tokens = given.claim.offset, {token for those in may_stand for token in those}
    known = RowsInRuns(stack, rows, given.claim.margin, tokens, len(may_stand))
    return partial(known.prove, known.walks(offset), Runner(known.balls.stacks, offset, may_stand))


def describe_track_runs(given: TrackRuns, coverage: Mapping[str, int]) -> list[str]:
    """The whole claim, and each class of runs."""
    return [*describe_tracks(given, coverage, "in every float run of each class below"),
            *(line for run in given.floats for line in entry("float runs", words_of_run(run, "inputs", "columns")))]
