"""Programs in B-RASP and S-RASP: syntax, types, and what they compute. docs/rasp.md defines the language."""
