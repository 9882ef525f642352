"""Heads whose rows know counts by approximations, and look for what belongs to their sum."""
