"""Inputs in tracks (docs/reference/tracks.md): ranges by shortest paths over columns, cells, wrong inputs."""
