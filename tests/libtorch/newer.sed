# What the examples of the API pages print with LibTorch 1, in the words of PyTorch 2.
s/^Trying to create tensor with negative dimension -1: \[-1\]$/zeros: Dimension size must be non-negative./
s/^upper bound and larger bound inconsistent/upper bound and lower bound inconsistent/
s/^size mismatch, got 2, 2x2,3$/size mismatch, got input (2), mat (2x2), vec (3)/
s/^expected scalar type Long but found (Float|Int)$/expected target dtype to be Long or Byte, but got \1/
