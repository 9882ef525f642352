"""All words of a claim: each by itself, or by classes; a word by which a claim is false."""
