"""Safe readers of files of trained networks, as the networks of ``constructions.trained``.

Files that are not supported raise an ``InputError`` whose text names the place, what was found there and what was
expected. In ``graph/`` that is a ``NotUnderstood`` or ``Unfit``, to which the reader adds the node. This holds for
every function of the package that checks or expects something; docstrings do not repeat it.
"""
