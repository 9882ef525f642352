"""The number of right inputs: a search for classes that are right or wrong, and sub-machines of what it found."""
