"""The intermediate form: operands, and the tree of statements."""
