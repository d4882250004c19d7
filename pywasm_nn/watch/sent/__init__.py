"""What a guest sends to a model: `inputs.py` asks the rules of this folder, each of which knows one kind of
mistake, and those about files (`origin`), tables (`sheets`) and windows (`series`).

What is not here: what it writes of answers (`written`), and the order of its calls (`order`).
"""
