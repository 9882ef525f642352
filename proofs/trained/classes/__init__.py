"""Abstract words: the float64 search for covers (docs/reference/trained.md, sections 4 and 5). It proves nothing."""
