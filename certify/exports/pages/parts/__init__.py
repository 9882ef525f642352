"""The page of what heads attend to, and the picture of a circuit."""
