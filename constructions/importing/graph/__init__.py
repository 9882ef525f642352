"""Graphs of operations (ONNX) become networks: what they compute is found, whatever its parts are called."""
