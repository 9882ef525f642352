"""A network on affine forms: of classes of words, of inputs in tracks, of words in float runs."""
