"""`certify audit`: whether a claimed constant suffices, where it first fails, and the critical one."""
