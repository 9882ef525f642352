// More 1 than 0.
ones = #"1"
zeros = #"0"
majority = ones > zeros
