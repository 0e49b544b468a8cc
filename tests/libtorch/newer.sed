
s/^glu does not suppport scalars/glu does not support scalars/
s/^lambda must be greater or equal to 0, but found to be -1\.$/lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1/
s/^All inputs should have same dimension but got 2D, 2D and 1D inputs\.$/The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor 2D, positive 2D, and negative 1D inputs/
s/^Input batch size 2 doesn't match hidden batch size 1$/Input batch size 2 doesn't match hidden0 batch size 1/
s/^Fan in and fan out cannot be computed/Fan in and fan out can not be computed/
s/4611686018427387903:2$/9223372036854775807:2/
