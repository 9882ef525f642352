"""All words of a claim, one by one or by abstract words; and wrong words."""
