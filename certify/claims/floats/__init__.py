"""Claims about float runs, as users ask for them: which classes, to which length, what is wrong with the next."""
