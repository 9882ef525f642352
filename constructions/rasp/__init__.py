"""Programs in B-RASP and S-RASP: syntax, types, and interpreter. docs/rasp.md defines the language."""
