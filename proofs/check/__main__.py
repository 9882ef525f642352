"""`python -I -S proofs/check FILE...`: the folder is where imports begin then, and so it is in a zip file of it.

Any Python 3 can read this file, so that one which is too old for the rest says so: 2 is not *rejected*.
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
