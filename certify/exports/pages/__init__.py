"""HTML pages of answers: one file each, which opens without a network connection."""
