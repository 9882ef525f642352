"""A question about a trained network: the network in a file, and a claim about it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from certify.frame.files import read_text
from certify.frame.look import A_TRAINED_NETWORK, TRAINED, expect
from certify.frame.places import STANDARD_STREAM
from certify.trained.claim_file import Scope, claim_of_table, read_claim
from certify.trained.files import head_of
from certify.trained.flags import Flags, table_of_flags, tracks_table_of_flags
from certify.trained.tracks_file import is_about_tracks, tracks_claim_of_table
from constructions.errors import InputError
from constructions.network.json_form import read_json
from constructions.tables import read_toml
from constructions.trained.claim import Claim, check_fits, last_offset
from constructions.trained.claim_form import claim_from_json
from constructions.trained.json_form import network_from_json
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim, check_tracks_fit
from constructions.trained.tracks_form import tracks_claim_from_json
from proofs.trained.certificate import FORMAT, TRACKS, WORDS


def read_trained(path: str) -> tuple[TrainedNetwork, Claim | None]:
    """The network of a file, and the claim of one that has both.

    Raises:
        InputError: if it is no file of this kind.
    """
    expect(path, TRAINED, A_TRAINED_NETWORK)
    data = read_json(read_text(path), path)
    if isinstance(data, dict) and data.get("format") == FORMAT:
        if data.get("inputs") == WORDS:
            return network_and_claim(data, path)
        if "network" in data:
            return network_from_json(data["network"], f"{path}, network"), None
    return network_from_json(data, path), None


def read_tracks(path: str, claim: str | None, scope: Scope, flags: Flags = Flags()) -> tuple[TrainedNetwork,
                                                                                            TracksClaim] | None:
    """The network of a file and the claim about tracks of a claim file, of options, or of the file itself; None if
    there is none.

    Raises:
        InputError: one line that says where, what was found and what was expected.
        Unsupported: if the claim's machine has very many states.
    """
    if flags.machine is not None and claim is None:
        network, _ = read_trained(path)
        return network, tracks_claim_of_table(tracks_table_of_flags(flags), "options", network, scope)
    if claim == STANDARD_STREAM or flags.given_options():
        return None  # standard input can be read only once
    if claim is not None:
        table = read_toml(read_text(claim), claim)
        if not is_about_tracks(table):
            return None
        network, _ = read_trained(path)
        return network, tracks_claim_of_table(table, claim, network, scope, Path(claim).parent)
    head = head_of(path)
    if head is None or head.inputs != TRACKS:
        return None
    data = read_json(read_text(path), path)
    for key in ("network", "claim"):
        if key not in data:
            raise InputError(f"{path}: no key {key}, which is needed")
    network = network_from_json(data["network"], f"{path}, network")
    found = tracks_claim_from_json(data["claim"], path)
    check_tracks_fit(network, found, path)
    return network, found


def network_and_claim(data: dict[str, Any], path: str) -> tuple[TrainedNetwork, Claim]:
    """Both of an object that has both.

    Raises:
        InputError: if it has not.
    """
    for key in ("network", "claim"):
        if key not in data:
            raise InputError(f"{path}: no key {key}, which is needed")
    network, claim = network_from_json(data["network"], f"{path}, network"), claim_from_json(data["claim"], path)
    check_fits(network, claim, path)
    return network, claim


def read_question(path: str, claim: str | None, flags: Flags, scope: Scope) -> tuple[TrainedNetwork, Claim]:
    """The network of a file, and the claim of a claim file, of options, or of the file itself.

    Raises:
        InputError: one line that says where, what was found and what was expected.
        Unsupported: if a language has no finite automaton, or a very large one.
    """
    network, own = read_trained(path)
    given = flags.given_options()
    if claim is not None:
        if given:
            raise InputError(f"{given[0]}: the claim file says this, expected one or the other")
        return network, read_claim(claim, network, scope)
    if own is not None and not given:
        return network, _in_scope(network, own, scope)
    return network, claim_of_table(table_of_flags(flags), "options", Path(), network, scope)


def _in_scope(network: TrainedNetwork, claim: Claim, scope: Scope) -> Claim:
    """The claim of a certificate, about other lengths and offsets if they are given."""
    lengths = (scope.min_n or claim.lengths[0], scope.max_n or claim.lengths[1])
    if not 1 <= lengths[0] <= lengths[1]:
        raise InputError(f"min_n {lengths[0]} and max_n {lengths[1]}, expected 1 <= min_n <= max_n")
    tokens = len(claim.before) + lengths[0] + len(claim.after)
    offsets = (0, max(0, last_offset(network, tokens))) if scope.offsets == "all" else scope.offsets or claim.offsets
    assert not isinstance(offsets, str), "all offsets are two numbers by now"
    wanted = replace(claim, lengths=lengths, offsets=offsets)
    check_fits(network, wanted)
    return wanted
