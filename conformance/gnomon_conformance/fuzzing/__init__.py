"""Searches for failing calls with hypothesis, and keeps the calls that it found."""
