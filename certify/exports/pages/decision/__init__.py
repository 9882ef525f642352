"""The pages of decisions about trained networks, and of their certificates."""
