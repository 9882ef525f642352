"""The page of what a trained network computes, and the drawing of its automaton."""
