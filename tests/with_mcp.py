"""Helpers of the tests of `certify mcp`: without its packages they are skipped, or fail if CERTIFY_NEEDS_MCP is set."""

from importlib.util import find_spec
from typing import Any

from tests.needed import found_or_skipped


def mcp_or_skip() -> Any:
    """Return the official library, with its client."""
    return found_or_skipped(_find_mcp, LookupError, "CERTIFY_NEEDS_MCP")


def _find_mcp() -> Any:
    if find_spec("mcp") is None:
        raise LookupError("mcp is not installed (the extra mcp)")
    import mcp

    return mcp
