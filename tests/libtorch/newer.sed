# What the examples of the API pages print with LibTorch 1 or 2, in the words of Python with PyTorch 2.
s/^Trying to create tensor with negative dimension -1: \[-1\]$/zeros: Dimension size must be non-negative./
s/^upper bound and larger bound inconsistent/upper bound and lower bound inconsistent/
s/^size mismatch, got 2, 2x2,3$/size mismatch, got input (2), mat (2x2), vec (3)/
s/^expected scalar type Long but found (Float|Int)$/expected target dtype to be Long or Byte, but got \1/
s/^glu does not suppport scalars/glu does not support scalars/
s/^lambda must be greater or equal to 0, but found to be -1\.$/lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1/
s/^All inputs should have same dimension but got 2D, 2D and 1D inputs\.$/The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor 2D, positive 2D, and negative 1D inputs/
s/^Input batch size 2 doesn't match hidden batch size 1$/Input batch size 2 doesn't match hidden0 batch size 1/
s/^Fan in and fan out cannot be computed/Fan in and fan out can not be computed/
s/4611686018427387903:2$/9223372036854775807:2/
