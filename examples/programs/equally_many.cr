// As many a as b as c: the largest number is the smallest one.
largest = max(#"a", max(#"b", #"c"))
smallest = min(#"a", min(#"b", #"c"))
equally_many = (largest == smallest)
