"""The conformance suite of gnomon: is a backend's every operator what the reference says it is?

    pytest conformance                                       from a checkout: the reference's own checks
    pytest conformance --gnomon-backend c                    a backend against the reference as well
    python -m gnomon_conformance --gnomon-backend c          the same, installed; takes pytest's options
    pytest -p gnomon_conformance.plugin --pyargs gnomon_conformance --gnomon-backend c

Options: ``--gnomon-backend NAME`` (repeatable), ``--no-fallback`` (an operator that the backend does not run
itself fails by name), ``--ops REGEX``, ``--dtypes float32,int64``.

What is checked, for each operator x dtype x sample x layout: values, dtype, sizes, strides, aliasing, inputs
left alone (test_forward); ``out=`` (test_out); the in-place variant (test_inplace); the meta device
(test_meta); gradients and second gradients (test_gradient); bad input (test_errors); and what people write,
as Python expressions (test_expressions).  The reference itself is compared with
PyTorch where that is installed (test_oracle, marked ``oracle``) and with recorded results elsewhere
(test_goldens), because what a backend and the reference share, their agreement can not test.

samples/        what operators are called with, a file for each family
expressions/    what people write: functions, methods and keywords under their public names
description.py  tensors and calls as plain data, from which tensors are built on any device
running.py      one call and all that can be observed of it
comparing.py    two such observations, and the tolerance between them (tolerances.py)
departures.py   where gnomon means to differ from PyTorch, each with its reason
"""
