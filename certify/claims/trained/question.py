"""A question about a trained network: the network in a file, and a claim about words or about inputs in tracks."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from certify.claims.trained.claim_file import Scope, claim_of_table
from certify.claims.trained.flags import Flags, table_of_flags
from certify.claims.trained.tracks_file import is_about_tracks, tracks_claim_of_table
from certify.common.files import read_text
from certify.common.look import A_TRAINED_NETWORK, TRAINED, expect
from certify.common.output_guard import STANDARD_STREAM
from constructions.errors import InputError
from constructions.network.json_form import read_json
from constructions.tables import read_toml
from constructions.trained.claim import WordsClaim, check_fits, last_offset
from constructions.trained.claim_form import claim_from_json
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.trained.certificate import FORMAT, TRACKS, WORDS

AnyClaim = WordsClaim | TracksClaim


@dataclass(frozen=True)
class ClaimTable:
    """The table of a claim file, or of options; its file names are relative to the folder."""

    table: Mapping[str, Any]
    where: str
    folder: Path = Path()

    def claim(self, network: TrainedNetwork, scope: Scope = Scope()) -> AnyClaim:
        """Return the claim about a network.

        Raises:
            InputError: one line that names the key and what was expected.
            Unsupported: if a language or a transducer is not finite, or very large.
        """
        if is_about_tracks(self.table):
            return tracks_claim_of_table(self.table, self.where, network, scope, self.folder)
        return claim_of_table(self.table, self.where, self.folder, network, scope)


def read_claim_table(path: str) -> ClaimTable:
    """Return the table of a claim file; ``-`` is standard input."""
    folder = Path() if path == STANDARD_STREAM else Path(os.path.normpath(Path(path).parent))
    return ClaimTable(read_toml(read_text(path), path), path, folder)


def read_claim(path: str, network: TrainedNetwork, scope: Scope = Scope()) -> WordsClaim:
    """Return the claim of a file about words.

    Raises:
        InputError: one line that names the key and what was expected.
        Unsupported: if a language has no finite automaton, or a very large one.
    """
    return about_words(read_claim_table(path).claim(network, scope), path)


def about_words(claim: AnyClaim, where: str) -> WordsClaim:
    """Return the claim, which must be about words.

    Raises:
        InputError: if it is about inputs in tracks.
    """
    if isinstance(claim, TracksClaim):
        raise InputError(f"{where}: the claim is about inputs in tracks, which can only be decided or run on one input "
                         "(docs/howto/aligned.md)")
    return claim


def read_trained(path: str) -> tuple[TrainedNetwork, AnyClaim | None]:
    """Return the network of a file, and its claim, if it has one that is not about words of any length.

    Raises:
        InputError: if it is not a file of this kind.
    """
    expect(path, TRAINED, A_TRAINED_NETWORK)
    data = read_json(read_text(path), path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return network_from_json(data, path), None
    if data.get("inputs") in (WORDS, TRACKS):
        return network_and_claim(data, path)
    return network_from_json(data.get("network"), f"{path}, network"), None


def network_and_claim(data: dict[str, Any], path: str) -> tuple[TrainedNetwork, AnyClaim]:
    """Return the network and the claim of a certificate.

    Raises:
        InputError: if one of them is missing.
    """
    for key in ("network", "claim"):
        if key not in data:
            raise InputError(f"{path}: no key {key}, expected one")
    network = network_from_json(data["network"], f"{path}, network")
    if data["inputs"] == TRACKS:
        about_tracks = tracks_claim_from_json(data["claim"], path)
        check_tracks_fit(network, about_tracks, path)
        return network, about_tracks
    claim = claim_from_json(data["claim"], path)
    check_fits(network, claim, path)
    return network, claim


def read_any_claim(path: str, claim: str | None, flags: Flags = Flags(), scope: Scope = Scope()
                   ) -> tuple[TrainedNetwork, AnyClaim]:
    """Return the network of a file, and the claim of a claim file, of options, or of the file itself.

    Raises:
        InputError: one line that names the place, what was found and what was expected.
        Unsupported: if a language or a transducer is not finite, or very large.
    """
    given = flags.given_options()
    if claim is not None and given:
        raise InputError(f"{given[0]}: given together with a claim file, expected one of the two")
    table = None if claim is None else read_claim_table(claim)
    network, own = read_trained(path)
    if table is None and own is not None and not given:
        return network, _in_scope(network, own, scope) if isinstance(own, WordsClaim) else own
    if table is None:
        table = ClaimTable(table_of_flags(flags), "options")
    return network, table.claim(network, scope)


def read_own_claim(path: str, scope: Scope) -> tuple[TrainedNetwork, AnyClaim]:
    """Return the network and the claim of a certificate, in the scope if it is about words.

    Raises:
        InputError: if the file is of another kind, or has no claim.
    """
    network, own = read_trained(path)
    if own is None:
        raise InputError(f"{path}: no claim about words up to a length, or about inputs in tracks, expected a "
                         "certificate with one; for others, the command decide has the option --float MODEL")
    return network, _in_scope(network, own, scope) if isinstance(own, WordsClaim) else own


def read_question(path: str, claim: str | None, flags: Flags, scope: Scope) -> tuple[TrainedNetwork, WordsClaim]:
    """Return the network and the claim of a question about words.

    Raises:
        InputError, Unsupported: as for ``read_any_claim``, and if the claim is about inputs in tracks.
    """
    network, found = read_any_claim(path, claim, flags, scope)
    return network, about_words(found, claim or path)


def _in_scope(network: TrainedNetwork, claim: WordsClaim, scope: Scope) -> WordsClaim:
    """Return the claim of a certificate, restricted to the lengths and offsets of the scope."""
    lengths = (scope.min_n or claim.lengths[0], scope.max_n or claim.lengths[1])
    if not 1 <= lengths[0] <= lengths[1]:
        raise InputError(f"min_n {lengths[0]} and max_n {lengths[1]}, expected 1 <= min_n <= max_n")
    tokens = len(claim.before) + lengths[0] + len(claim.after)
    offsets = (0, max(0, last_offset(network, tokens))) if scope.offsets == "all" else scope.offsets or claim.offsets
    assert not isinstance(offsets, str), "all offsets are two numbers by now"
    restricted = replace(claim, lengths=lengths, offsets=offsets)
    check_fits(network, restricted)
    return restricted
