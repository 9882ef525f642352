"""Error bounds of stages: gaps of hard heads, and the error of softmax (docs/background/softened_rules.md)."""
