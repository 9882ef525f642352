"""Bytes of files about trained networks to frozen records; nothing in them is believed yet."""
