"""What is left out of doctests: files that need torch, where torch is not installed."""

from importlib.util import find_spec

pytest_plugins = ["tests.noting", "tests.tiers"]

NEED_TORCH = ["constructions/running/torch_network.py",
              *(f"certify/learning/training/{name}.py" for name in ("fitting", "forward", "train"))]
collect_ignore = [] if find_spec("torch") else NEED_TORCH
