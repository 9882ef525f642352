"""Trained networks; docs/trained.md. Read in this order:

evidence      the table: what may prove a claim or refute it, and who does; describing: what is said of every decision
reading       of files: dyadics (tensors as exact dyadic rationals), network, words_claim, tracks_claim; decision (a
              network, a claim, float runs, evidence); evidence: cover, tracks, lengths, counterexamples
balls         numbers with a bound of their error: precision (numbers as integers, packed vectors), exact (dyadic
              matrices: norms put into maps, maps side by side), linear (maps of packed rows; spectral norms),
              exponentials (exp(-d) by a table and a series), normal (x Φ(x)) and sigmoids (tanh, silu, gelu-tanh),
              activations (of many numbers, by tables of parabolas), roundings, norms, heads (scores, weights and
              averages of a head), stack (the network at a precision), tables (the first attention, for each token at
              each place), memory (a later attention, for the places that it has met), walks (words through the
              network), running (inputs one after another, at as high a precision as they need)
forms         packed (many signed integers in one), affine (affine forms, and linear maps of them), maps (weights as
              integers), norms, units, directions (the form of an average that is bounded along directions), scores,
              weights (of softmax as integers), graphs (a graph of classes is a cover of all words), ranges (averages
              stay in stated ranges: longest paths), passing (all steps on forms), arithmetic (what a proof by classes
              computes with: the real numbers), cells (boxes of ranges, cut), rows (rows at the stream of a node)
words         obligations (what must be covered), covering (that it is), judge (the rows of each word), running (all
              words of a unit), classes (a unit of a cover by classes), places (where a wrong word is judged),
              wrong_word, deciding (the whole cover), vacuous (the lengths at which nothing is asked), describing (the
              claim in words)
tracks        inputs that are laid out in tracks: columns, places, longest (sums over columns), queries, layers,
              by_classes, each_input, exact, exact_proof, proof, wrong_input, describing
lengths       lengths beyond enumeration: counts, truths, margins, case_rows, proof,
              suffixes, describing
floats        float runs: casting, rounding, one_number, operations, softmax_rules, softmax, stack, walks, classes,
              form_words; on balls: balls, ball_heads, ball_stack, ball_words; inputs (on balls, or on forms), proof,
              describing; of a wrong run: dyadics, functions, one_run, wrong_run; of inputs in tracks: track_runs
"""

from .evidence import find_kind

__all__ = ["find_kind"]
