"""Heads with weightings other than softmax, on top of the chapters `formula` and `sums`.

In the order of reading: `sparse` and `gaps` (sparsemax, entmax-1.5, softmax plus one), `sigmoids` and `geometric`
(geometric, stick-breaking), `additive` (one head of ReLU or sigmoid), `response_functions`, `selecting` and
`sum_lookup` (several together), `deciding` (selects among these rules).
"""
