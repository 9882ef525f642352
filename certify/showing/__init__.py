"""What people and programs read of results: numbers, tables, words, and JSON objects."""
