"""Inputs in tracks (docs/tracks.md): ranges of heads over classes by shortest paths over columns, cells, wrong inputs."""
