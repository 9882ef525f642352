"""Files of trained networks, read safely, as the networks of ``constructions.trained``.

What is not read is refused by an ``InputError`` whose text names the place, what was found there and what was expected.
In ``graph/`` that is a ``NotUnderstood`` or ``Unfit``, to which the reader adds the node. So it is in every function
that checks or expects something; docstrings inside of the package do not repeat it.
"""
