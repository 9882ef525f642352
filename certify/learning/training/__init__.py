"""Training a network until it is proved: words that a decision calls wrong go back into the training data."""
