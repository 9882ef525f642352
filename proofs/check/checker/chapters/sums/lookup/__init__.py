"""Heads whose rows read the mean of a count and attend to the position for it."""
