"""Parts of compiled programs: finite functions, integers, heads. ``rasp_to_transformer`` is the entry."""
