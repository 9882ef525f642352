"""Compiler of programs: finite functions, integers, heads. ``rasp_to_transformer`` is the entry."""
