"""One run of a class, bit by bit: executions, their replay, and the search for one whose output is wrong."""
