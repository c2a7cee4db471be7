"""Invented people whose data must be found nowhere afterwards, and what looks for it."""
