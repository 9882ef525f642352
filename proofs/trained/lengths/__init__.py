"""Words of any length: Parikh boxes (cells of counts), branch and bound, last letters; docs/howto/any_length.md."""
