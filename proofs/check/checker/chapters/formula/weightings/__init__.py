"""Heads whose weights are not those of softmax; a certificate without them never imports this folder."""
