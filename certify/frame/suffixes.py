"""Suffixes of files by which it is known what they hold."""

SUFFIX_OF_FORMULAS = ".ltl"
SUFFIX_OF_COUNTING_PROGRAMS = ".cr"
SUFFIXES_OF_PROGRAMS = (".rasp", SUFFIX_OF_COUNTING_PROGRAMS)
