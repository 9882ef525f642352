"""Learning of the automaton that a trained network computes on all words up to a length, proved by a decision."""
