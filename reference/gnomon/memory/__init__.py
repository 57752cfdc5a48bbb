"""Floor 1: memory.

Bytes (Storage), what lies in them (Spec), the two together (Tensor), and who owns them (Backend).
"""
