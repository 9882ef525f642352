"""Inputs in tracks (docs/tracks.md): ranges by shortest paths over columns, cells, wrong inputs."""
