"""What lives while a guest runs: instances, and what they share: memories, tables, globals, heaps, deadlines,
limits.

What is not here: how a module is read, checked and written, and how the body of a function runs (`interpret`,
`compile`).
"""
