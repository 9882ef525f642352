"""Classes of words: the search in float64 for the covers of docs/reference/trained.md, section 4; it proves nothing."""
