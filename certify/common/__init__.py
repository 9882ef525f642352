"""What all commands share, and what knows of no claim: files, verdicts, tables, work divided among processes."""
