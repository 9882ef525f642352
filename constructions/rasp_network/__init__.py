"""Parts of compiled programs: finite functions, integers, heads. ``constructions.rasp_to_transformer`` is the entry."""
