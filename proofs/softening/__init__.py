"""Hard attention made soft (docs/softened.md): what the producer finds, bounds and seals. The checker shares none of it."""
