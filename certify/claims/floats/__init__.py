"""Claims about float models: which models, up to which length, what is wrong at the next."""
