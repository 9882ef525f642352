"""Entry point of `python -I -S proofs/check FILE...`, where this folder (or a zip file of it) is the import path.

Any Python 3 can parse this file, so that a version that is too old is reported with status 2, not 1 (*rejected*).
"""

import sys

OLDEST = (3, 10)

if sys.version_info < OLDEST:
    sys.stderr.write("check: this is Python {}.{}, expected {}.{} or newer; nothing was checked\n".format(
        *sys.version_info[:2] + OLDEST))
    sys.exit(2)

if __package__:  # python -m proofs.check
    from .checker.command import main
else:
    from checker.command import main  # type: ignore[import-not-found, no-redef]  # found from this folder, as said above

sys.exit(main())
