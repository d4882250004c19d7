"""The objects that exist while a guest runs: instances and what they share, such as memories, tables,
globals, heaps, deadlines and limits.

What is not here: decoding, validating and printing modules, and running function bodies (`interpret`,
`compile`).
"""
