"""What crosses between components and how: the canonical ABI, as far as core modules need it.

What is not here: components themselves and their linking.
"""
