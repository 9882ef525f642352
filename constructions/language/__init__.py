"""The language of DESIGN section 5: syntax, parser, printer, meaning, and the small expressions in i and n."""
