"""`certify export`: a network and its theorem in the formats of other tools, one module each."""
