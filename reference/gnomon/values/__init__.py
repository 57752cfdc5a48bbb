"""Immutable values, and functions of them; nothing here owns tensor memory."""
