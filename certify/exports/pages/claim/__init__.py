"""The page of a certificate of any kind, in the words of the checker."""
