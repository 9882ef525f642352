"""`python -I -S proofs/check FILE...`: the folder is where imports begin then, and so it is in a zip file of it."""

import sys

from checker.command import main  # type: ignore[import-not-found]  # found from this folder, as said above

sys.exit(main())
