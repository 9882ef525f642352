"""Training until proved: words that a decision finds wrong are added to the training data."""


def check_torch() -> None:
    """Raise Unsupported if there is no torch to train with."""
    from importlib.util import find_spec

    from constructions.errors import Unsupported, install

    if find_spec("torch") is None:
        raise Unsupported(f"torch is not installed, expected the extra: {install('torch')}")
