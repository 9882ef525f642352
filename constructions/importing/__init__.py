"""Files of trained transformers become networks (docs/importing.md): readers of files, recognisers of names."""
