"""Classes of float runs, on which the chapters `floats` and `trained` build: `reading` (formats of numbers, and the one
spelling of a class), `presets` (classes that are known by name), `roundoff` (what their roundings may do, relatively),
`choices` (the choices that a model leaves open, as one execution makes them)."""
