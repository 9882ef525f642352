"""The page of a decision about a trained network, and of a certificate of one."""
