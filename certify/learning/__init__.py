"""What a trained network computes on all words up to a length: learnt as an automaton, proved by a decision."""
