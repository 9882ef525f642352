// Balanced brackets of one kind: no prefix closes more than it opens, and the word closes all.
opened = #"("
closed = #")"
too_many = closed > opened
never = (#too_many == 0)
dyck_1 = never && (opened == closed)
