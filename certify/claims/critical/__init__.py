"""Closed forms: worst errors as functions of x = e^(-gamma), critical constants, scores in i, j and n.

sympy builds, prints and factors them; it decides nothing. All printed results are checked against exact numbers: the
provers' worst cases, the certified and refuted ends of brackets, scores at many (i, j, n).
"""
