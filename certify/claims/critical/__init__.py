"""Closed forms: worst errors as functions of x = e^(-gamma), critical constants, scores in i, j and n.

sympy builds and prints them and takes polynomials apart; it decides nothing. Whatever is printed was held against exact
numbers first: the worst cases that the provers found, certified and refuted ends of brackets, scores at many (i, j, n).
"""
