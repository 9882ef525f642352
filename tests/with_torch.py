"""What the tests with torch share: without torch they are skipped, or fail where CERTIFY_NEEDS_TORCH is set."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import pytest


def torch_or_skip() -> Any:
    """The package torch."""
    if find_spec("torch") is None:
        reason = "torch is not installed (the extra torch)"
        if os.environ.get("CERTIFY_NEEDS_TORCH"):
            pytest.fail(f"{reason}, and CERTIFY_NEEDS_TORCH is set")
        pytest.skip(reason)
    import torch

    return torch
