"""What a guest writes of a model's answers, compared with the answers: each module has a rule, or a few of a
kind, for what is written wrongly.

What is not here: which inputs the answers are of (`sent`), the order of the guest's calls (`order`), and what
the guest writes of other answers (`probes`).
"""
