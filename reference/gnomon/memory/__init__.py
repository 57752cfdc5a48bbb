"""Memory.

Bytes (Storage), their interpretation (Spec), both together (Tensor), and the owner of the memory (Backend).
"""
