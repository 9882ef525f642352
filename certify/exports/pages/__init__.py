"""Pages that people look at: one file each, which opens without a network."""
