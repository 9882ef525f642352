"""Classes of words: the search, in float64, for the covers of docs/trained.md, sections 4 and 5. It proves nothing."""
