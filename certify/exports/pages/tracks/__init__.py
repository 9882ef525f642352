"""The page of a decision about inputs in tracks."""
