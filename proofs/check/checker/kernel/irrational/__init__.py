"""Real numbers that are known between two rationals; a file without ln and sqrt never imports this folder."""
