"""The language: texts to places in one table of nodes, values and truths of what is there, and texts again."""

from .language import Language
from .table import Place

__all__ = ["Language", "Place"]
