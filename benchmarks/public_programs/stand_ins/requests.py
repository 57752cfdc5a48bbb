"""Stands in for requests, which programs import to download data that is there already."""
