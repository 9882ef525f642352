"""Claims about trained networks: questions, decisions, runs of one word; docs/howto/decide.md."""
