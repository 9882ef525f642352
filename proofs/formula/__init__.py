"""Claims about formulas: the obligations by which weights compute their meanings, and their proofs.

There is one package for each family of writers. ``obligation`` derives what holds for every n and i, from weights and
meanings only; ``worst_case`` is the exact worst case or case check; ``second`` is the second prover. ``family`` joins
them, and ``families`` lists all families. ``composition`` checks the order of writes and reads; ``common`` has the
shared modules.
"""
