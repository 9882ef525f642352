"""`--to coq`: a folder that Coq alone can check, with the library, the network and the theorem about it."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from certify.asking.request import read_request
from certify.asking.subjects import Kind
from certify.every_n.claim import TheoremClaim, claim_theorem
from certify.exports.folder_readme import folder_readme
from certify.exports.writing import read_formula
from certify.formula.sealed import NotAccepted
from certify.frame.files import check_new_folder, read_text, write_folder
from constructions.errors import InputError
from constructions.network.json_form import transformer_to_json, write_canonical
from proofs.every_n import EVERY_LENGTH, CoqMissing, ProvedLengths
from proofs.every_n.library import LOGICAL_NAME, digests_of, library_digest, sealed_files
from proofs.every_n.model_file import FOLDER, MODEL, proof_files

PROGRAMS = ("check.sh",)
_UNCHECKED = "(* UNCHECKED: Coq was not asked whether it accepts this file. *)\n"


class NoProof(Exception):
    """Coq does not accept the theorem, or was not asked; ``word`` is the verdict."""

    def __init__(self, word: str, reason: str) -> None:
        """The message is one line."""
        super().__init__(f"{word}: {reason}")
        self.word = word


def export_coq(path: str, output: str, unchecked: bool = False, lengths: ProvedLengths = EVERY_LENGTH) -> None:
    """Write the folder for what is in a model file or in a certificate, if Coq accepts its theorem on these lengths.

    With ``unchecked``, or without Coq, a folder is written all the same, which says that nothing is proved yet.

    Raises:
        NoProof: if Coq does not accept the theorem, and so there is no folder; or if it was not asked.
        InputError: if it is neither, or the folder is not new or empty.
        Unsupported: naming a part of the network that the Coq library has no counterpart of; for a certificate that is
            not of a formula.
    """
    check_new_folder(output)
    claim = _read_claim(path)
    why = "Coq was not asked" if unchecked else _ask(claim, lengths)
    write_folder(output, coq_folder(claim, lengths, checked=not why), PROGRAMS)
    if why:
        raise NoProof("unchecked", f"{why}; nothing is claimed in {output} before its check.sh accepts it")


def _read_claim(path: str) -> TheoremClaim:
    try:
        return claim_theorem(read_request(path, taken=(Kind.NETWORK,)), Path(path).stem)
    except InputError:
        with suppress(InputError, NotAccepted):
            read_formula(read_text(path), path)  # refuses certificates of other kinds as other formats do
        raise


def _ask(claim: TheoremClaim, lengths: ProvedLengths) -> str:
    """Why Coq was not asked; empty if it accepts the theorem."""
    from certify.every_n.theorems import prove, reason_in_words
    from certify.frame.progress import ProgressLine

    try:
        with ProgressLine() as progress:
            theorem = prove(claim, progress, lengths, of_file=True)
    except CoqMissing as missing:
        return str(missing)
    if theorem.verdict != "proved":
        raise NoProof(theorem.verdict, f"{reason_in_words(theorem)}; no folder was written")
    return ""


def coq_folder(claim: TheoremClaim, lengths: ProvedLengths = EVERY_LENGTH, *, checked: bool) -> Mapping[str, str]:
    """The files of the folder about these lengths; if Coq was not asked (``checked`` is unset), they say so.

    Raises:
        Unsupported: naming a part of the network that the Coq library has no counterpart of.
    """
    theorem, sealed = theorem_name(claim), sealed_files()
    own = {f"theorem/{name}": text
           for name, text in proof_files(claim.network, claim.formula, theorem, lengths).items()}
    compiled = [*(name for name in sealed if name.endswith(".v")), *own]
    del own[f"theorem/{MODEL}.v"]  # check.sh makes it from model.json
    mark = "" if checked else _UNCHECKED
    return {
        "README.md": folder_readme(claim, lengths, f"theorem/{theorem}.v", library_digest(), checked=checked),
        "_CoqProject": "\n".join([f"-Q library {LOGICAL_NAME}", f"-Q theorem {FOLDER}", "", *compiled, ""]),
        "SHA256SUMS": digests_of(sealed),
        "model.json": write_canonical(transformer_to_json(claim.network)),
        **{name: mark + text for name, text in own.items()},
        **sealed,
    }


def theorem_name(claim: TheoremClaim) -> str:
    """The name of the file with the network and the theorem about it, without its ending."""
    return f"Theorem_{claim.name}"
