"""What the reader starts from: a file for each exercise, with the task as its docstring."""
