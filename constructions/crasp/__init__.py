"""C-RASP programs: grammar, types, interpreter, and programs as formulas (docs/reference/crasp.md)."""
