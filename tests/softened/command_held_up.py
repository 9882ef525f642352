"""The command with words divided by three letters; after so many shards in the store it waits until a file is there.

Usage    python -m tests.softened.command_held_up SHARDS FILE model ... --store STORE
"""

import sys
from pathlib import Path

from certify.claims.softened import shards
from certify.cli import main
from certify.common.shards.store import Store
from tests.processes import wait_until


def hold_up(count: int, signal: Path) -> None:
    """Make stores wait for the file once they keep ``count`` shards."""
    keep, kept = Store.keep, list[str]()

    def keep_or_wait(store: Store, task: str, result: str) -> None:
        keep(store, task, result)
        kept.append(task)
        if len(kept) == count:
            wait_until(signal.exists)

    Store.keep = keep_or_wait  # type: ignore[method-assign,assignment]


if __name__ == "__main__":
    hold_up(int(sys.argv[1]), Path(sys.argv[2]))
    shards.plan_prefixes = lambda alphabet_size, n, weight: 3 if n > 3 else 0  # type: ignore[attr-defined]
    sys.argv[1:3] = []
    main()
