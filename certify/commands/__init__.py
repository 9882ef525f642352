"""The commands, each a thin layer: options in, one call, a table or a JSON object out."""
