"""From the tree to lines of Python."""
