"""Float models, on which the chapters `floats` and `trained` build; docs/reference/floats.md, section 1.

Reading order: `reading` (formats, and the one spelling of a model), `presets` (models with names), `roundoff` (relative
errors of roundings), `choices` (the choices that a model leaves open, as one execution makes them).
"""
