"""The language of formulas: syntax, parser, printer, semantics, and the small expressions in i and n."""

from constructions.language import printer as printer  # formulas are shown by it, whatever is imported
