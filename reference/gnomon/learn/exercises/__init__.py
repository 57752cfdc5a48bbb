"""Exercises: the reader writes a part of a tensor library again, and gnomon's own part marks it.

``records.py`` lists them.  Each chapter has a file with the marks of its exercises, and each exercise a file
in ``skeletons``, which the command ``gnomon exercises`` copies into the reader's folder.
"""
