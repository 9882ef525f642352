"""What is claimed of formulas: what must hold for the weights to compute their meanings, and its proof.

A family for each kind of writer, side by side: what it must achieve for every n and i (``obligation``), derived from
weights and meanings alone; the exact worst case or case check (``worst_case``); the second prover (``second``), and
``family``, which joins them; ``families`` lists all.
``composition`` says which direction may be read when, ``common`` has what the families share.
"""
