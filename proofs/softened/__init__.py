"""How far may a stage stray: the gaps of hard heads, and what softmax in their place moves.

See docs/background/softened_rules.md.
"""
