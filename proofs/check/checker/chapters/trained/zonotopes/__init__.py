"""Affine arithmetic: a network on affine forms (zonotopes), for abstract words, aligned words and float executions."""
