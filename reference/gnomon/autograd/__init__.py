"""Floor 4: autograd.  Records what operators do as a graph of Nodes, and runs it backward.

Never imports the operators: a formula calls them through the tensors it is given.
"""
