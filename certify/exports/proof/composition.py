"""Lemmas about the embedding and the composition: what holds at the start, and that nothing is read too early."""

from collections.abc import Iterator, Sequence

from certify.exports.latex_tables import table
from certify.exports.proof.obligations import Group
from certify.exports.proof.paper import Lemma, Paper
from proofs.formula.composition import writes


def embedding_lemma(paper: Paper, group: Group) -> Lemma:
    """The lemma of all directions that the embedding writes, and of those that nothing writes."""
    names = [line.direction for line in group.lines]
    claim = (f"At every position of every word of the claim the embedding gives {paper.directions(names)} exactly what "
             "Section~2 says that they hold.")
    return Lemma("Embedding", claim, list(_embedding_proof(paper, names)))


def _embedding_proof(paper: Paper, names: Sequence[str]) -> Iterator[str]:
    transformer = paper.transformer
    by_token = [name for name in names if any(name in row for row in transformer.token_embedding.values())]
    by_position = [name for name in names if name in transformer.position_embedding and name not in by_token]
    by_nothing = [name for name in names if name not in by_token and name not in by_position]
    if by_token:
        yield (f"The truths in {paper.directions(by_token)} are those of formulas over symbols, without operators that "
               "look elsewhere: in the row of each symbol they were evaluated, and agree. "
               + paper.cite("transformer", "token_embedding"))
    if by_position:
        yield (f"The numbers in {paper.directions(by_position)} do not depend on the word: at every $(n, i)$ the "
               "embedded expression has the value of what is stated, either because they are written alike or because "
               "both were evaluated exactly. "
               + paper.cite("transformer", "position_embedding"))
    if by_nothing:
        yield f"Nothing writes {paper.directions(by_nothing)}: they hold $0$, which is what is stated of them."


def composition_lemma(paper: Paper) -> Lemma:
    """The lemma that makes the others enough."""
    claim = ("Every direction is written at exactly one stage of the table, and whatever a head or a unit reads was "
             "written before; a feed-forward part may read what the heads of its own layer wrote.")
    proof = ("By looking at each of them. So when a direction is read it holds what it means, and nothing changes it "
             "afterwards: the lemmas about single heads and outputs may be put together.")
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
