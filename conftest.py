"""What is left out of doctests: files that need torch, where torch is not installed.

And where Python is told to keep no compiled files, as in many containers, those of the tests are kept aside: each of
the hundreds of processes that they start would else compile every module again.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

pytest_plugins = ["tests.noting", "tests.tiers"]

NEED_TORCH = ["constructions/running/torch_network.py",
              *(f"certify/learning/training/{name}.py" for name in ("fitting", "forward", "train"))]
collect_ignore = [] if find_spec("torch") else NEED_TORCH

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parent / ".pytest_cache" / "compiled")
    sys.dont_write_bytecode = False
