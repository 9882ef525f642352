"""Trained networks; docs/trained.md. Read in this order:

reading       of files: dyadics (tensors as exact dyadic rationals), network, decision (claims, covers, wrong words),
              tracks_claim, tracks, lengths
balls         numbers with a bound of their error: precision (numbers as integers, packed vectors), exact (dyadic
              matrices: norms put into maps, maps side by side), linear (maps of packed rows; spectral norms),
              exponentials (exp(-d) by a table and a series), normal (x Φ(x)) and sigmoids (tanh, silu, gelu-tanh),
              activations (of many numbers, by tables of parabolas), roundings, norms, heads (scores, weights and
              averages of a head), stack (the network at a precision), tables (the first attention, for each token at
              each place), memory (a later attention, for the places that it has met), walks (words through the network)
forms         packed (many signed integers in one), affine (affine forms, and linear maps of them), maps (weights as
              integers), norms, units, directions (the form of an average that is bounded along directions), weights (of
              softmax as integers), graphs (a graph of classes is a cover of all words), ranges (averages stay in stated
              ranges: longest paths), passing (all steps on forms), arithmetic (what a proof by classes computes with:
              the real numbers), cells (boxes of ranges, cut), rows (rows at the stream of a node)
words         obligations (what must be covered, and that it is), running (all words of a unit), classes (a unit of a
              cover by classes), wrong_word, deciding (the whole cover, a part of it, or a sample), vacuous (the lengths
              at which nothing is asked), costs, describing (the claim in words)
tracks        inputs that are laid out in tracks: columns, longest (sums over columns), queries, layers,
              each_input, exact, exact_proof, proof, wrong_input, describing
lengths       lengths beyond enumeration: counts, truths, margins, case_rows, proof,
              suffixes, describing
floats        float runs: rounding, casting, one_number, operations, softmax, stack, walks, classes, proof, describing;
              on balls: balls, gradients, ball_heads, ball_stack, ball_words; on traces: backwards, traces,
              traced_steps, traced_attention, traced_stack; of a wrong run: dyadics, functions, one_run, wrong_run; of
              inputs in tracks: track_runs, wrong_input_run
"""

from functools import partial

from ...kernel.kind import FileKind
from .floats.describing import describe_float_runs
from .floats.proof import FORMAT_OF_FLOAT_RUNS, prove_float_runs, read_float_runs
from .floats.track_runs import FORMAT_OF_TRACK_RUNS, describe_track_runs, prove_track_runs, read_track_runs
from .floats.wrong_input_run import (
    FORMAT_OF_WRONG_INPUT_RUN,
    describe_wrong_input_run,
    prove_wrong_input_run,
    read_wrong_input_run,
)
from .floats.wrong_run import FORMAT_OF_WRONG_RUN, describe_wrong_run, prove_wrong_run, read_wrong_run
from .lengths.describing import describe_lengths, describe_long_word
from .lengths.proof import prove_lengths, prove_long_word
from .lengths.suffixes import prove_suffixes
from .reading.decision import FORMAT_OF_DECISION, FORMAT_OF_WRONG_WORD, read_decision, read_wrong_word
from .reading.lengths import (
    FORMAT_OF_LENGTHS,
    FORMAT_OF_LONG_WORD,
    FORMAT_OF_SUFFIXES,
    read_lengths,
    read_long_word,
    read_suffixes,
)
from .reading.tracks import FORMAT_OF_TRACKS, FORMAT_OF_WRONG_INPUT, read_tracks, read_wrong_input
from .tracks.describing import describe_tracks, describe_wrong_input
from .tracks.proof import prove_tracks
from .tracks.wrong_input import prove_wrong_input
from .words.deciding import prove_decision
from .words.describing import describe_decision, describe_wrong_word
from .words.wrong_word import prove_wrong_word

TRAINED_TIMES = 30  # a decision, which runs words, may take as many times the default steps
TRAINED_HELD = 3  # and the exact weights of a network as many times the default memory

PROOF = partial(FileKind, times=(TRAINED_TIMES, TRAINED_HELD))
WRONG = partial(FileKind, is_refutation=True, times=(1, TRAINED_HELD))

KINDS = {
    FORMAT_OF_DECISION: PROOF(read_decision, prove_decision, describe_decision, "a trained network"),
    FORMAT_OF_WRONG_WORD: WRONG(read_wrong_word, prove_wrong_word, describe_wrong_word, "a trained network"),
    FORMAT_OF_FLOAT_RUNS: PROOF(read_float_runs, prove_float_runs, describe_float_runs, "float runs"),
    FORMAT_OF_WRONG_RUN: WRONG(read_wrong_run, prove_wrong_run, describe_wrong_run, "float runs"),
    FORMAT_OF_TRACK_RUNS: PROOF(read_track_runs, prove_track_runs, describe_track_runs, "float runs"),
    FORMAT_OF_WRONG_INPUT_RUN: WRONG(read_wrong_input_run, prove_wrong_input_run, describe_wrong_input_run,
                                     "float runs"),
    FORMAT_OF_TRACKS: PROOF(read_tracks, prove_tracks, describe_tracks, "inputs in tracks"),
    FORMAT_OF_WRONG_INPUT: WRONG(read_wrong_input, prove_wrong_input, describe_wrong_input, "inputs in tracks"),
    FORMAT_OF_LENGTHS: PROOF(read_lengths, prove_lengths, describe_lengths, "a trained network"),
    FORMAT_OF_SUFFIXES: PROOF(read_suffixes, prove_suffixes, describe_lengths, "a trained network"),
    FORMAT_OF_LONG_WORD: WRONG(read_long_word, prove_long_word, describe_long_word, "a trained network")}
