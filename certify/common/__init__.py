"""Code shared by all commands, independent of the kind of claim: files, verdicts, tables, worker processes."""
