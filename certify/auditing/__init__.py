"""`certify audit`: is a claimed constant enough, where does it first fail, and which one is critical?"""
