"""Trained networks; docs/reference/trained.md. Files in reading order.

evidence    the table of kinds of evidence, each with its rules; describing: the sentence printed for a decision;
            of counts: weighing (sums of weights over paths), counted (numbers and weights in words)
reading     files: dyadics (tensors as exact dyadic rationals), network, words_claim, tracks_claim; decision (a
            network, edits, a claim, float models, evidence); widening (wider streams, for edits); count_claim;
            evidence: cover, tracks, lengths, counterexamples, count_parts, word_parts
balls       ball arithmetic: precision (fixed-point numbers, packed vectors), exact (dyadic matrices: norms folded
            into linear maps, maps side by side), linear (maps by packed rows; spectral norms), exponentials (exp(-d)
            by a table and a series), gelu (x Φ(x)) and sigmoids (tanh, silu, gelu-tanh), activations (vectors, by
            tables of parabolas), roundings, norms, rotations, score_caps, heads (scores, weights and averages of a
            head), steps_on_tokens, rounding_steps, stack (the network at a precision), tables (the first attention
            step, for each token at each position), key_value_cache (later attention steps), prefix_tree and whole_words
            (traversals of words), adaptive_precision (inputs, each at the precision that it needs)
zonotopes   affine arithmetic: packed_integers (many signed integers in one), affine (affine forms and their linear
            maps), linear_maps (weights in fixed point), norms, activations, directions (the form of an average that is
            bounded along directions), scores, weights (of softmax in fixed point), trellis (a graph of abstract words
            that covers all words), ranges (averages within stated ranges: longest paths), step_maps and layers (the
            abstract transformer of each step), arithmetic (the operations of a proof by classes, over the reals),
            cells (boxes of ranges, cut), stated_ranges, rows (rows at the stream of a node)
words       obligations (what a cover must contain), judge (the rows of each word), running (the units of a cover),
            classes (a unit by abstract words), deciding (that the cover is whole, and its proof), wrong_word, vacuous
            (lengths at which a claim is vacuous), describing; counting (the number of right words of each length)
tracks      aligned words: columns, longest (longest paths over columns), queries, layers, by_classes,
            each_input, exact, exact_proof, proof, wrong_input, describing; verdicts, counting (the number of right
            inputs)
lengths     words of any length: counts (boxes of Parikh vectors), truths, margins, cells, proof, suffixes,
            describing
floats      executions under a float model: casting, rounding, exact_sums, operations, rounded_units, softmax_rules,
            score_caps, softmax, stored_averages, shared_symbols, form_stack, key_value_cache, scaled_rows, classes;
            balls, ball_heads, ball_stack, ball_finish; inputs (balls, then affine forms), proof, describing; a wrong
            execution: dyadics, functions, execution, wrong_execution; aligned words: tracks
"""

from .evidence import find_kind

__all__ = ["find_kind"]
