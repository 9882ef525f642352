"""Constructions of statements, one file each: the parts they add to a transformer; `table.py` lists them all."""
