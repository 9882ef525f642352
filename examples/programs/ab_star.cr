// (ab)*: a and b alternate and a is first, so a is ahead of b by 0 or 1 all along, and by 0 at the end.
ahead = #"a" - #"b"
wrong = (!("a" || "b")) || (ahead < 0) || (ahead > 1)
ab_star = (#wrong == 0) && (ahead == 0)
