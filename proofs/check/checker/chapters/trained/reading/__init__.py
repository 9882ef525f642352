"""Parsing of files about trained networks into frozen records; nothing in them is trusted yet."""
