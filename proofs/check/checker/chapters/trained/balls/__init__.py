"""Execution of a network in ball arithmetic: fixed-point vectors, each with an error bound in the 2-norm."""
