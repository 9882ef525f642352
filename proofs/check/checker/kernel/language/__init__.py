"""The language: parser of texts to places in one table of nodes, their values and truths, and printer."""

from .language import Language
from .table import Place

__all__ = ["Language", "Place"]
