"""What must hold for the weights to compute their meanings: one file for each kind of writer, from weights alone.

``composition`` says which direction may be read when; ``uniform``, ``attention``, ``lookup`` and ``feed_forward`` say
what each writer must achieve, for every n and i. ``proofs.exact`` and ``proofs.by_z3`` prove it, file by file.
"""
