"""Random tests: without a clock, and the same on every machine unless a seed is asked for.

An example may take as long as it takes: the first formula of a process builds the grammar's tables, and a machine may
be busy. Without ``--hypothesis-seed`` every run meets the same examples, 25 if a test does not say how many, so that no
verdict depends on luck; with it, others, and 100.
"""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from tests.with_ocaml import SHARED

_WITHOUT_CLOCK = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _WITHOUT_CLOCK, derandomize=True, max_examples=25)
settings.register_profile("seeded", _WITHOUT_CLOCK, derandomize=False)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("repeatable" if config.getoption("hypothesis_seed") is None else "seeded")
    gc.disable()  # what is collected now stays, and to look for circles in it takes a quarter of the time


def pytest_collection_finish() -> None:
    """Fifteen thousand tests and all modules stay to the end: the search for circles of garbage skips them."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def folder_of_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Above the folder of this process is the one of all that test together."""
    folder = tmp_path_factory.getbasetemp()
    SHARED.folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
