"""Helpers of the tests with torch: without torch they are skipped, or fail if CERTIFY_NEEDS_TORCH is set."""

from importlib.util import find_spec
from typing import Any

from tests.needed import found_or_skipped


def torch_or_skip() -> Any:
    """Return the package torch."""
    return found_or_skipped(_find_torch, LookupError, "CERTIFY_NEEDS_TORCH")


def _find_torch() -> Any:
    if find_spec("torch") is None:
        raise LookupError("torch is not installed (the extra torch)")
    import torch

    return torch
