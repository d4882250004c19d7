"""Changed copies of an input, as a guest without the mistake would have sent it: pure functions of arrays.

What is here: other types of the same bytes (`rereadings.py`), other values of pixels (`encodings.py`), and
another order of elements (`arrangements.py`). What is not: asking the model about them (`whatif`), and
finding which of them lies between an input and a file (`origin`).
"""
