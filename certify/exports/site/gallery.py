"""The content of the gallery: given certificates, or those of the shipped examples, proved now; and audits."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from certify.auditing.api import audit_file
from certify.claims.formula.examples import load_examples
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.claims.formula.sealed import NotAccepted, read_accepted_file
from certify.claims.softened.demo import load_examples as hard_examples
from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.shards import Workers
from certify.claims.trained.claim_file import Scope
from certify.claims.trained.decide import decide
from certify.claims.trained.question import read_claim
from certify.claims.trained.tracks_decision import decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from certify.common.files import read_text
from certify.common.shipped import examples_folder
from certify.common.words import counted
from certify.exports.headline import headline
from certify.exports.html import page_of
from certify.exports.pages.audit.page import audit_page
from certify.exports.pages.decision.pages import page_of_decision
from constructions.errors import InputError
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.language.expressions import EvaluationError
from constructions.tables import read_toml
from constructions.trained.json_form import read_network

Progress = Callable[[str], None]
SUFFIX = ".cert"
FORMULAS, TRAINED, GIVEN = "Formulas", "Trained networks", "Certificates"
MODELS, SOFTENED, TRACKS = "Transformers written by hand", "Hard attention, softened", "Arithmetic and sorting"
SLOW = ("binary_trained",)
"""Networks of examples/adders with tens of thousands of inputs that are run one by one, which takes minutes."""
PAPERS = ("sha", "hahn")
"""The claims files of the two papers."""
_NAME = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(frozen=True)
class Exhibit:
    """A certificate, its page (empty if its kind has none), and its description.

    ``proves`` is the checker's claim in a few words; ``group`` is its table.
    """

    name: str
    about: str
    certificate: str
    page: str
    proves: str
    group: str


@dataclass(frozen=True)
class AuditEntry:
    """An audit: the page, its title, the number of claims by verdict, and their names."""

    name: str
    title: str
    verdicts: str
    page: str
    claims: tuple[str, ...]


def show_gallery(progress: Progress, certificates: Sequence[str], audits: Sequence[str], max_n: int,
                 trained_max_n: int, papers_max_n: int) -> tuple[list[Exhibit], list[AuditEntry]]:
    """Return these certificates, or else the shipped ones up to these lengths (0: left out); and the audits.

    The audits of both papers come first.

    Raises:
        InputError: if a file is wrong, or two have the same name.
    """
    reports = reports_of(audits, progress)
    if certificates:
        return exhibits_of_files(certificates, progress), reports
    exhibits = [*shipped_exhibits(max_n, progress), *model_exhibits(max_n, progress),
                *softened_exhibits(max_n, progress)]
    if trained_max_n:
        exhibits += [*trained_exhibits(trained_max_n, progress), *tracks_exhibits(progress)]
    if papers_max_n:
        taken, claims = {each.name for each in reports}, examples_folder() / "claims"
        reports = [_report(str(claims / f"{name}.toml"), papers_max_n, progress)
                   for name in PAPERS if name not in taken] + reports
    return exhibits, reports


def exhibits_of_files(paths: Sequence[str], progress: Progress) -> list[Exhibit]:
    """Return the certificates in these files, checked.

    Raises:
        InputError: if one is not a certificate or not accepted, or two have the same name.
    """
    found: dict[str, Exhibit] = {}
    for path in paths:
        progress(path)
        name = _new_name(path, PurePath(path).name.removesuffix(SUFFIX), found, "certificate")
        try:
            found[name] = _exhibit(name, "", read_text(path), path, GIVEN)
        except NotAccepted as reason:
            raise InputError(str(reason)) from None
    return list(found.values())


def _new_name(path: str, name: str, others: Collection[str], what: str) -> str:
    if not _NAME.fullmatch(name) or name in others:
        raise InputError(f"{path}: expected a name of letters, digits, -, _ and . that no other {what} has")
    return name


def shipped_exhibits(max_n: int, progress: Progress) -> list[Exhibit]:
    """Return the shipped formulas that are certified up to this length."""
    found = []
    for example in load_examples():
        progress(example.name)
        outcome = certify(example.formula, alphabet=list(example.alphabet), max_n=max_n)
        if isinstance(outcome, Certified):
            found.append(_exhibit(example.name, example.about, outcome.certificate, example.name, FORMULAS))
    return found


def model_exhibits(max_n: int, progress: Progress) -> Iterator[Exhibit]:
    """Yield the transformers that were written by hand, certified up to this length."""
    for path in sorted((examples_folder() / "models").glob("*.json")):
        name = f"{path.stem}_model"
        progress(name)
        try:
            outcome = certify(str(path), max_n=max_n)
        except EvaluationError:  # at n = 1, ln n is 0 in a denominator
            outcome = certify(str(path), max_n=max_n, min_n=2)
        if isinstance(outcome, Certified):
            yield _exhibit(name, "", outcome.certificate, name, MODELS)


def softened_exhibits(max_n: int, progress: Progress) -> Iterator[Exhibit]:
    """Yield hard attention softened, on all words up to this length, or the example's if it is less."""
    for example in hard_examples():
        name = f"{example.name}_softened"
        progress(name)
        outcome = soften_model(example.build(), min(max_n, example.max_n), example.temperature, [], Workers(), progress)
        if outcome.certificate is not None:
            yield _exhibit(name, example.about, outcome.certificate, name, SOFTENED)


def tracks_exhibits(progress: Progress) -> Iterator[Exhibit]:
    """Yield the networks that add, sort and count, on all their inputs: certificates, and wrong inputs."""
    places = sorted((examples_folder() / "adders").glob("*.toml"))
    for place in [place for place in places if place.stem not in SLOW]:
        name = f"{place.stem}_tracks"
        progress(name)
        network, table = read_network(place.with_suffix(".json")), read_toml(read_text(str(place)), str(place))
        decision = decide_tracks(network, tracks_claim_of_table(table, str(place), network))
        if decision.certificate is not None:
            shown = _exhibit(name, str(table["title"]), decision.certificate, name, TRACKS)
            yield replace(shown, page=page_of_decision(decision, f"{name}{SUFFIX}", None))
        if decision.wrong_certificate is not None:
            name = f"{name}_wrong_input"
            shown = _exhibit(name, str(table["title"]), decision.wrong_certificate, name, TRACKS)
            yield replace(shown, page=page_of_decision(decision, None, f"{name}{SUFFIX}"))


def trained_exhibits(max_n: int, progress: Progress) -> Iterator[Exhibit]:
    """Yield the shipped trained networks, decided up to this length: certificates, and wrong words.

    Formulas have similar names, so the names here end in their kind.
    """
    zoo = examples_folder() / "trained"
    plans = tomllib.loads((zoo / "zoo.toml").read_text(encoding="utf-8"))
    for name, plan in plans["network"].items():
        progress(name)
        network = import_network([zoo / name], _importing(plans["import"][plan["kind"]])).network
        place = zoo / name / "claim.toml"
        about = str(tomllib.loads(place.read_text(encoding="utf-8"))["title"])
        decision = decide(network, read_claim(str(place), network, Scope(max_n=max_n)))
        for certificate, called in ((decision.certificate, f"{name}_network"),
                                    (decision.wrong_certificate, f"{name}_wrong_word")):
            if certificate is not None:
                yield _exhibit(called, about, certificate, called, TRAINED)


def _importing(answers: dict[str, Any]) -> Options:
    """Return the options that the files of a kind of network do not determine."""
    epsilon = answers.get("epsilon")
    return Options(**{**answers, "epsilon": Fraction(epsilon) if epsilon else None})


def _exhibit(name: str, about: str, certificate: str, path: str, group: str) -> Exhibit:
    accepted = read_accepted_file(certificate, path)
    page = page_of(certificate, path, f"{name}{SUFFIX}", about)
    return Exhibit(name, about, certificate, page, headline(accepted.lines), group)


def reports_of(paths: Sequence[str], progress: Progress) -> list[AuditEntry]:
    """Return the audits of these claims files.

    Raises:
        InputError: if one is wrong, or two have the same name.
    """
    found: dict[str, AuditEntry] = {}
    for path in paths:
        found[_new_name(path, PurePath(path).stem, found, "claims file")] = _report(path, None, progress)
    return list(found.values())


def _report(path: str, max_n: int | None, progress: Progress) -> AuditEntry:
    progress(path)
    report = audit_file(path, max_n)
    verdicts = Counter(claim.verdict for claim in report.claims)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
    called = tuple(f"{claim.name} {claim.statement} {claim.says}" for claim in report.claims)
    return AuditEntry(PurePath(path).stem, report.title, f"{counted(len(report.claims), 'claim')}: {counts}",
                      audit_page(report), called)
