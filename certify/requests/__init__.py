"""From arguments to one question: a subject and its options, and what they denote."""
