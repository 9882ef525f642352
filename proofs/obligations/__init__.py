"""What must hold for the weights to compute their meanings: one file for each kind of writer, from weights alone.

``composition`` says which direction may be read when; ``uniform``, ``attention``, ``lookup`` and ``feed_forward`` say
what each writer must achieve, for every n and i; ``kinds`` is what all of them have in common. The files of these names
in ``proofs.exact`` and ``proofs.by_z3`` prove it (uniform heads leave nothing free, so there is no question for Z3).
"""
