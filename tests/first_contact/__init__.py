"""The chapters of `tests/newcomer.py`: what they check from outside, each by `check(place, report)`."""
