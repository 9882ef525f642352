"""Aligned words (docs/howto/aligned.md): ranges by longest paths over columns, cells, wrong inputs."""
