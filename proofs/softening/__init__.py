"""Hard attention made soft (docs/softened.md): what is found, bounded and sealed; not the checker."""
