"""How far may a stage stray: the gaps of hard heads, and what softmax in their place moves (docs/softened.md)."""
