"""Graphs of operations (ONNX) as networks: recognised by their computation, whatever the names of their parts."""
