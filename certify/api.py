"""The commands as Python functions, which parse their arguments as the commands parse their options."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypedDict, Unpack

from certify.claims.every_n.claim import claim_theorem
from certify.claims.every_n.theorems import Theorem
from certify.claims.every_n.theorems import prove as prove_claim
from certify.claims.formula.explanation import Explanation, explain_formula
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import Subject
from certify.claims.formula.program_runs import ProgramRun, run_on_word
from certify.claims.formula.runs import WordTrace, run_request
from certify.claims.margins.answer import MarginAnswer, answer
from certify.claims.margins.question import MarginOptions, read_question
from certify.claims.numbers.cross_entropy.measure import measure as measure_cross_entropy
from certify.claims.numbers.cross_entropy.measure import read_head, read_probability
from certify.claims.numbers.cross_entropy.results import CrossEntropy, LanguageName
from certify.claims.numbers.sensitivity.measure import measure as measure_sensitivity
from certify.claims.numbers.sensitivity.results import At, Sensitivity
from certify.common.files import read_text
from certify.common.look import CERTIFICATES, expect
from certify.common.output_guard import guard_outputs
from certify.exports.card import card_of
from certify.exports.formats import EXPORTERS, Format, load_exporter
from certify.requests.arguments import (
    Exact,
    SubjectOptions,
    check_names,
    exact_text,
    find_python_subject,
    read_arguments,
    read_lengths,
    whole_number,
)
from certify.requests.inputs import FormulaSubject, ProgramSubject
from certify.requests.request import Request, read_request
from certify.requests.subjects import Programs
from constructions.arguments import typed
from constructions.errors import InputError
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from proofs.check import RequiredClaim, check_file
from proofs.every_n import ProvedLengths
from proofs.numbers.cross_entropy.languages import LANGUAGES

if TYPE_CHECKING:
    from certify.exports.notebook import Checked

Path = str | PathLike[str]
Number = Exact


class MarginKeys(TypedDict, total=False):
    """The options of ``certify model`` about the sign of an output."""

    alphabet: str | None
    before: str | None
    after: str | None
    threshold: Exact | None
    norm: Exact | None
    gamma: Exact | None
    temperature: Exact | None


@typed
def run(subject: Subject | None, word: str, **options: Unpack[SubjectOptions]) -> WordTrace | ProgramRun:
    """Run a network on a word: the values at every position beside the truth; for a program, its rows.

    The ``options`` are those of ``certify``.

    >>> run("Q_a since Q_b", "abb").truth
    (False, False, False)

    Raises:
        InputError: if something is malformed, or the word does not fit the alphabet.
        Unsupported: if a program has no network.
    """
    if not isinstance(word, str):
        raise InputError(f"word: found an object of type {type(word).__name__}, expected a text such as 0110")
    request = _read(subject, options, programs=Programs.RUN)
    if isinstance(request.subject, ProgramSubject):
        return run_on_word(request.subject.program, word)
    return run_request(request, word)


@typed
def build(subject: Subject | None, *, as_formula: bool = False, **options: Unpack[SubjectOptions]) -> Transformer:
    """Return the transformer of a formula or a program (``as_formula=True``: of the formula of a program's output).

    >>> build("prev Q_a", alphabet="ab", regime="position")
    <Transformer: layers 2, heads 3, directions 11, symbols 2>

    Raises:
        InputError: if something is malformed.
        Unsupported: if the regime cannot express the formula, or a program has no transformer.
    """
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    lengths = up_to(64) if options.get("precision") is not None else None
    return _read(subject, options, lengths, programs).network


@typed
def explain(subject: Subject | None, **options: Unpack[SubjectOptions]) -> Explanation:
    """Return the fragment of a formula, and what each regime would build.

    Raises:
        InputError: if something is malformed, or the subject is not a formula.
    """
    request = _read(subject, options)
    if request.formula is None:
        raise InputError("subject: found a network without a formula, expected a formula")
    weighting = request.subject.weighting if isinstance(request.subject, FormulaSubject) else Weighting.SOFTMAX
    return explain_formula(request.formula, request.alphabet, request.gamma, bool(options.get("as_printed")), weighting)


@typed
def prove(subject: Subject | None, *, min_n: int = 1, max_n: int | None = None,
          **options: Unpack[SubjectOptions]) -> Theorem:
    """Return the theorem for every n, or for min_n <= n <= max_n, decided by Coq.

    Raises:
        InputError: if something is malformed.
        Unsupported: if there is no such network.
        CoqMissing: if there is no ``coqc``.
    """
    lengths = ProvedLengths(min_n, max_n)
    return prove_claim(claim_theorem(_read(subject, options), "formula"), lengths=lengths)


@typed
def check(path: Path, asked: RequiredClaim | None = None, work: int = 1) -> Checked:
    """Return what the independent checker accepts of a file; ``asked`` is the claim that it must make.

    ``work`` multiplies the default work budget.

    Raises:
        Refusal: if the file is not accepted.
    """
    from certify.exports.notebook import Checked

    name = os.fspath(path)
    found = check_file(name, work=work) if asked is None else check_file(name, asked, work)
    return Checked(found.given, found.coverage, found.lines)


@typed
def export(certificate: Path | Certified, to: Format, output: Path) -> None:
    """Write a certificate for other tools; ``to`` is one of the formats of docs/howto/exports.md.

    Raises:
        InputError: if there is no such format, the file is not a certificate, or the output cannot be written.
        NotAccepted: if the checker does not accept the certificate.
    """
    if to not in EXPORTERS:
        raise InputError(f"to: found {to!r}, expected one of {', '.join(EXPORTERS)}")
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(certificate, Certified):
            path = os.path.join(folder, "certificate.cert")
            certificate.save(path)
        else:
            path = os.fspath(certificate)
        with guard_outputs() as places:
            places.note_output("output", os.fspath(output))
            load_exporter(to)(path, os.fspath(output))


@typed
def card(certificate: Path) -> str:
    """Return the claim of a certificate as Markdown for the card of a model.

    Raises:
        InputError: if the file is not a certificate.
        NotAccepted: if the checker does not accept it.
    """
    path = os.fspath(certificate)
    expect(path, CERTIFICATES, "a certificate")
    return card_of(read_text(path), path, os.path.basename(path))


@typed
def sensitivity(subject: Subject | None, max_n: int = 16, min_n: int = 1, lengths: Sequence[int] | None = None,
                at: At = "last", direction: str | None = None, as_formula: bool = False,
                **options: Unpack[SubjectOptions]) -> Sensitivity:
    """Return the largest change of a direction (default: the output) when one symbol of a word is exchanged.

    Measured at the ``lengths``; by default at every length up to 8, at powers of two and at ``max_n``. The claim is
    defined in docs/background/sensitivity.md.

    >>> [str(row.upper) for row in sensitivity("prev Q_a", max_n=3, alphabet="ab").rows]
    ['0', '1', '1']

    Raises:
        InputError: if something is malformed, or the network has no such direction.
        Unsupported: if there is no network, or words cannot be run.
    """
    if at not in ("first", "last", "every"):
        raise InputError(f"at: found {at!r}, expected first, last or every")
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    request = _read(subject, options, read_lengths(min_n, max_n), programs)
    return measure_sensitivity(request, at, direction,
                               None if lengths is None else [whole_number("lengths", n) for n in lengths])


@typed
def margin(network: Subject, formula: str | None = None, max_n: int = 64, min_n: int = 1, at: At = "last",
           margin: Number = 0, **options: Unpack[MarginKeys]) -> MarginAnswer:
    """Decide whether the sign of a network's output is the truth of a formula, with what margin from the threshold.

    The ``options`` are those of ``certify model``: alphabet, before, after, threshold, norm, gamma, temperature. The
    claim is defined in docs/howto/signs.md.

    >>> network = build("Q_a since Q_b", alphabet="ab")
    >>> [row.verdict for row in margin(network, threshold="1/2", margin="49/100", max_n=2).rows]
    ['certified', 'certified']

    Raises:
        InputError: if something is malformed, or the network lacks a symbol.
    """
    if at not in ("first", "last", "every"):
        raise InputError(f"at: found {at!r}, expected first, last or every")
    check_names(options, tuple(MarginKeys.__annotations__))
    texts = {name: exact_text(name, value) for name, value in options.items() if value is not None}
    given = MarginOptions(formula, at=at, margin=exact_text("margin", margin), **texts)  # type: ignore[arg-type]
    return answer(read_question(find_python_subject(network), given, read_lengths(min_n, max_n), str))


@typed
def cross_entropy(subject: Subject | None, language: LanguageName = "parity", p: Number = "1/2", max_n: int = 16,
                  min_n: int = 1, lengths: Sequence[int] | None = None, direction: str | None = None,
                  slope: Number | None = None, intercept: Number | None = None, steepest: Number | None = None,
                  as_formula: bool = False, **options: Unpack[SubjectOptions]) -> CrossEntropy:
    """Bound a network's cross-entropy on the next symbol of prefixes of PARITY or 2DYCK, beside the optimum.

    The claim is defined in docs/background/hahn.md.

    >>> found = cross_entropy("ODD(#<[Q_1])", max_n=4, alphabet="01")
    >>> [round(float(row.found.upper), 4) for row in found.rows]
    [0.8664, 0.8666, 0.8666, 0.8666]

    Raises:
        InputError: if something is malformed, or the network's symbols are not those of the language.
        Unsupported: if there is no network.
    """
    if language not in LANGUAGES:
        raise InputError(f"language: found {language!r}, expected {' or '.join(LANGUAGES)}")
    given = (("slope", slope), ("intercept", intercept), ("steepest", steepest))
    head = read_head(**{name: None if x is None else exact_text(name, x) for name, x in given}, spell=str)
    programs = Programs.FORMULA if as_formula else Programs.COMPILED
    request = _read(subject, options, read_lengths(min_n, max_n), programs)
    return measure_cross_entropy(request, language, read_probability(exact_text("p", p), "p"), head, direction,
                                 None if lengths is None else [whole_number("lengths", n) for n in lengths])


def _read(subject: object, options: SubjectOptions, lengths: Lengths | None = None,
          programs: Programs = Programs.FORMULA) -> Request:
    given = read_arguments(options)
    return read_request(find_python_subject(subject, given), given, lengths=lengths, spell=str, programs=programs)
