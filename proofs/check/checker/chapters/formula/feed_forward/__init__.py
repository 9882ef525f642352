"""Feed-forward outputs: by cases, or by the value of one sum of counts."""
