"""A guest's own models in a child process: what they do to it, they do to nobody else.

`models` is what a session uses: `GuestModels` loads into the child and gives graphs that behave as others do.
`process` starts, asks and ends the child, `arena` is the memory in which tensors lie for both, `serve` is the
child's side, `bounds` keeps it within its memory. What is not here: which bytes may be loaded (`registry`).

One guest has at most one child, for all of its models; guests share none. A child that dies takes the guest's
graphs with it, which answer runtime_error from then on; the next load starts another.
"""
