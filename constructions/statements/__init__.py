"""One statement, one file: what each construction adds to a transformer; `table.py` lists them all."""
