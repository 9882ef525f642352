"""What is left out of doctests: a file that needs torch, where torch is not installed."""

from importlib.util import find_spec

pytest_plugins = ["tests.noting", "tests.tiers"]

collect_ignore = [] if find_spec("torch") else ["constructions/running/torch_network.py"]
