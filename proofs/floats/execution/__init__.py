"""Executions under a float model, exactly rounded: choices, replay, and the search for one with a wrong output."""
