"""A network on numbers of a precision, each with a bound of its error: balls in the 2-norm."""
