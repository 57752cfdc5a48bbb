"""The argument parser, functions, and methods of Tensor."""
