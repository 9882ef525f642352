"""`certify export --to proof`: the whole document, ready for pdflatex.

The text is for readers and decides nothing: it is written from a certificate that the checker accepted, its numbers are
those of the certificate and of the exact method, and each cites its line of the certificate.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from certify.claims.formula.real_functions import sentence
from certify.claims.formula.sealed import Sealed
from certify.common.progress import ProgressLine
from certify.exports.latex_network import CONVENTIONS, MASKS, lengths_in_latex
from certify.exports.latex_tables import linear_form, math, table, typewriter
from certify.exports.proof.feed_forward import feed_forward_lemma
from certify.exports.proof.heads import head_lemma, uniform_lemma
from certify.exports.proof.paper import Lemma, LemmaGroup, Paper, group_obligations
from certify.exports.writing import read_formula, text_file
from constructions.errors import Unsupported
from constructions.language.printer import format_formula, latex_text
from constructions.language.syntax import counts_of, subformulas
from constructions.network.json_form import read_json
from constructions.network.meanings import Truth, formulas_of
from constructions.network.transformer import Coefficients, Head, check_softmax
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.composition import writes
from proofs.formula.discharge import Progress

MOST_DIRECTIONS = 1000
"""Longer proofs would be unreadable, and LaTeX would take minutes."""
PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[a4paper,margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,amsthm,booktabs}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}{Lemma}
\newcommand{\cert}[2]{{\footnotesize[#1: \texttt{#2}]}}
\newcommand{\codepoint}[1]{\mbox{$\langle$\texttt{U+#1}$\rangle$}}
\sloppy
\allowdisplaybreaks
\begin{document}"""
ABOUT = r"""This text was written from a certificate that the independent checker accepted, {names}. It is for readers:
it states in words by which rules the obligations of the certificate hold, and gives the numbers. The places in brackets
are lines of the certificate, which contain the same for machines."""
REGIMES = {
    "temperature": "Every position embedding has absolute value at most {most} at every position of these words.",
    "position": "The temperature of every head is $1$ everywhere.",
}
CAUSAL = "Every head is future-masked, and no embedding or temperature depends on $n$."


def proof_of(sealed: Sealed, written: str) -> str:
    """Return the document of an accepted certificate, whose text is ``written``.

    Raises:
        Unsupported: if it has too many directions, other attention than softmax, or is not proved by the exact method.
    """
    check_softmax(sealed.transformer, "a readable proof")
    if len(sealed.transformer.directions) > MOST_DIRECTIONS:
        raise Unsupported(f"a readable proof of {len(sealed.transformer.directions)} directions: at most "
                          f"{MOST_DIRECTIONS} are written")
    paper = Paper(sealed, read_json(written, "certificate"))
    with ProgressLine() as progress:
        lemmas = list(_lemmas(paper, progress))
    parts = [PREAMBLE, *_statement(paper), *_network(paper), r"\section{Lemmas}", *map(str, lemmas),
             r"\section{Proof of the theorem}", *_proof(paper, lemmas), r"\end{document}"]
    return re.sub(r"[^\x00-\x7f]", lambda found: rf"\codepoint{{{ord(found[0]):04X}}}", "\n\n".join(parts)) + "\n"


def _statement(paper: Paper) -> Iterator[str]:
    sealed, output = paper.sealed, paper.transformer.directions[paper.transformer.output]
    assert isinstance(output, Truth)
    symbols = ", ".join(typewriter(symbol) for symbol in paper.transformer.alphabet)
    yield r"\section{The statement}"
    yield ABOUT.replace("{names}", sealed.names)
    yield "\n".join([
        r"\begin{theorem}",
        rf"For {lengths_in_latex(sealed.lengths)}, every word $w$ of length $n$ over \{{{symbols}\}} and every "
        rf"position $i$ of it, the output of the transformer of Section~2 at $i$ is exactly $1$ if the formula",
        rf"\begin{{quote}}\raggedright {math(format_formula(output.formula, 'latex'))}\end{{quote}}",
        "holds at $i$, and exactly $0$ if not, in exact real arithmetic with real softmax. "
        + " ".join([*filter(None, [sentence(paper.transformer, latex=True)]), *_regime(paper)]), r"\end{theorem}"])
    yield "The claim is that of the certificate " + paper.cite("claim") + "."
    if sealed.floats:
        yield "The claims of the certificate about floating-point runs are not proved here. " + paper.cite("floats")


def _regime(paper: Paper) -> Iterator[str]:
    claim = paper.sealed.claim
    formulas = (formula for meaning in paper.transformer.directions.values() for formula in formulas_of(meaning))
    counts = any(counts_of(part) for formula in formulas for part in subformulas(formula))
    if sentence_of_regime := REGIMES.get(claim["regime"]):
        yield sentence_of_regime.replace("{most}", "$n^2$" if counts else "$1$")
    if claim["causal"]:
        yield CAUSAL


def _network(paper: Paper) -> Iterator[str]:
    yield r"\section{The network}"
    yield CONVENTIONS + (r" The matrices of a head are written as sums of $e_r e_k^{\top}$, each an entry in row $r$ "
                         r"and column $k$: $q(i) = W^{\mathrm Q} h(i)$, $k(j) = W^{\mathrm K} h(j)$, and the head adds "
                         r"the weighted mean of $W^{\mathrm V} h(j)$.")
    yield from paper.network.directions()
    yield from paper.network.embeddings()
    for number, layer in enumerate(paper.transformer.layers, start=1):
        for place, head in enumerate(layer.heads, start=1):
            yield from _head(paper, number, place, head)
        yield from paper.network.feed_forward(number, layer.feedforward)


def _head(paper: Paper, layer: int, place: int, head: Head) -> Iterator[str]:
    """Yield the matrices of a head."""
    source = f", {latex_text(head.source)}" if head.source else ""
    yield (rf"\paragraph{{Head {layer}.{place}}} ({latex_text(head.name)}{source}): {MASKS[head.mask.value]}, "
           rf"{latex_text(head.weighting.value)}, $\tau = {head.temperature.latex()}$. {paper.cite_head(layer, place)}")
    rows = {"Q": _rows(head.queries), "K": _rows(head.keys),
            "V": {(paper.network.numbers[name], source): weight for name, row in head.values.items()
                  for source, weight in row.items()}}
    matrices = [rf"$W^{{\mathrm {which}}} = {_matrix(paper, entries)}$" for which, entries in rows.items()]
    yield r"\begin{flushleft}" + ", \\quad\n".join(matrices) + r"\end{flushleft}"


def _rows(forms: tuple[Coefficients, ...]) -> dict[tuple[int, str], Fraction]:
    return {(r, name): weight for r, row in enumerate(forms, start=1) for name, weight in row.items()}


def _matrix(paper: Paper, entries: dict[tuple[int, str], Fraction]) -> str:
    """Return the matrix with these entries, by row and by the direction of the column."""
    return linear_form({rf"e_{{{row}}} e_{{{paper.network.numbers[name]}}}^{{\top}}": weight
                        for (row, name), weight in entries.items()})


def _lemmas(paper: Paper, progress: Progress) -> Iterator[Lemma]:
    for group in group_obligations(paper.sealed, progress):
        progress(f"lemma on {group.lines[0].direction}")
        if group.kind is not ObligationKind.COMPOSITION:
            yield _lemma(paper, group)
    yield composition_lemma(paper)


def _lemma(paper: Paper, group: LemmaGroup) -> Lemma:
    match group.kind:
        case ObligationKind.EMBEDDING:
            return embedding_lemma(paper, group)
        case ObligationKind.UNIFORM | ObligationKind.MEAN:
            return uniform_lemma(paper, group)
        case ObligationKind.FEED_FORWARD:
            return feed_forward_lemma(paper, group)
    return head_lemma(paper, group)


def _proof(paper: Paper, lemmas: list[Lemma]) -> Iterator[str]:
    output = paper.network.direction(paper.transformer.output)
    lengths = paper.sealed.lengths
    yield "\n".join([
        r"\begin{proof}",
        rf"Let $w$ be a word of the claim, ${lengths.first} \le n \le {lengths.last}$. By induction on the stages of "
        "the last lemma every direction has the value of Section~2, once it is written: each of the "
        rf"{len(lemmas) - 1} other lemmas assumes this for the directions that are read, and proves it for "
        r"those that are written. A value near a truth is within $\tfrac{1}{4}$ of it, and later lemmas use only "
        "that.",
        rf"So {output}, the output, is the truth of the formula of the theorem. "
        + paper.cite("transformer", "output"), r"\end{proof}"])


export_proof = text_file(lambda text, path: proof_of(read_formula(text, path), text))


def embedding_lemma(paper: Paper, group: LemmaGroup) -> Lemma:
    """Return the lemma about all directions that the embedding writes, and those that nothing writes."""
    names = [line.direction for line in group.lines]
    claim = (f"At every position of every word of the claim the embedding gives {paper.directions(names)} exactly the "
             "values of Section~2.")
    return Lemma("Embedding", claim, list(_embedding_proof(paper, names)))


def _embedding_proof(paper: Paper, names: Sequence[str]) -> Iterator[str]:
    transformer = paper.transformer
    by_token = [name for name in names if any(name in row for row in transformer.token_embedding.values())]
    by_position = [name for name in names if name in transformer.position_embedding and name not in by_token]
    by_nothing = [name for name in names if name not in by_token and name not in by_position]
    if by_token:
        yield (f"The truths in {paper.directions(by_token)} are those of formulas over symbols, without operators on "
               "other positions: they were evaluated for each symbol, and agree with its row. "
               + paper.cite("transformer", "token_embedding"))
    if by_position:
        yield (f"The numbers in {paper.directions(by_position)} do not depend on the word: at every $(n, i)$ the "
               "embedded expression has the stated value, either because both are written identically or because "
               "both were evaluated exactly. "
               + paper.cite("transformer", "position_embedding"))
    if by_nothing:
        yield f"Nothing writes {paper.directions(by_nothing)}: they are $0$, as stated."


def composition_lemma(paper: Paper) -> Lemma:
    """Return the lemma that composes the others."""
    claim = ("Every direction is written at exactly one stage of the table; directions that heads or units read were "
             "written before; a feed-forward block may read the outputs of the heads of its own layer.")
    proof = ("By inspection. So when a direction is read it has its meaning, and nothing changes it "
             "afterwards: the lemmas about single heads and outputs may be composed.")
    return Lemma("Composition", claim, [proof, *table("Stages", ("stage", "writes"), list(_stages(paper)),
                                                      r"lp{0.75\textwidth}")])


def _stages(paper: Paper) -> Iterator[tuple[str, str]]:
    stages: dict[int, list[str]] = {}
    for write in writes(paper.transformer):
        stages.setdefault(write.stage, []).append(write.direction)
    for stage, names in stages.items():
        layer = (stage + 1) // 2
        where = "embedding" if stage == 0 else f"heads of layer {layer}" if stage % 2 else f"units of layer {layer}"
        yield where, paper.directions(names, most=200)
