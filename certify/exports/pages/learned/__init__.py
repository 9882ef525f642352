"""The page of the automaton that a trained network computes, with its drawing."""
