"""What operators are called with: tensors and calls as plain data, and more of them than the samples."""
