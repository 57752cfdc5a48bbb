"""Calls that are drawn, until one fails, and those that once did."""
