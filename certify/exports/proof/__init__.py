"""`certify export --to proof`: a certificate as a proof for people, a document in LaTeX."""
