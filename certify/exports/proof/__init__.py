"""`certify export --to proof`: a certificate as a readable proof, a document in LaTeX."""
