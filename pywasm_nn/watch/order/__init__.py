"""The order in which a guest reads, sends, computes and fetches: what comes too early, too late, twice, never
or in another's place.

What is not here: what is in the inputs (`sent`), and what is written of answers (`written`).
"""
