"""Stands in for mpl_toolkits."""
