// 1 stands at the even positions, counted from 0, and 0 at the odd ones: a miss is worth 1.
#import pos_even
miss = (0 if ("1" && pos_even) || ("0" && !pos_even) else 1)
misses = #(miss == 1)
alternating = (misses == 0)
