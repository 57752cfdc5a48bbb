# The old name of modules/module.py, for type checkers; at run time __init__.py provides it.
from .modules.module import Module as Module
from .modules.module import clear_grad as clear_grad
