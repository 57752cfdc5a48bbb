"""The conformance suite of gnomon: is a backend's every operator what the reference says it is?

    gnomon conform c                                         a backend against the reference, with a report
    pytest --pyargs gnomon_conformance --gnomon-backend c    the same tests, by pytest
    pytest conformance                                       from a checkout: the reference's own checks
    gnomon shadow --backend c program.py                     a program's operators, beside the reference's
    gnomon new-backend NAME                                  a distribution to begin with

Options: ``--gnomon-backend NAME`` (repeatable), ``--ops REGEX``, ``--dtypes float32,int64``, ``--tier NAME``,
``--no-fallback`` (an operator that the backend does not run itself fails by name), ``--expectations FILE``,
``--property-seconds S`` and ``--seed N`` (how long to draw calls, and which), ``--huge``, ``--full`` (without
it an operator is tested in float32, int64 and one further dtype, another for each).

What is checked, for each operator x dtype x sample x layout: values, dtype, sizes, strides, aliasing, inputs
left alone (test_forward), with values that hurt (test_values) and sizes around those of vectors, tiles and
threads (test_sizes); ``out=`` (test_out), in the middle of other memory (test_memory); the in-place variant
(test_inplace); the meta device (test_meta); gradients and second gradients (test_gradient); bad input
(test_errors); calls that are drawn (test_properties), and those that once were (test_found); tensors of more
than 2**31 elements (test_huge, with ``--huge``); and what people write, as Python expressions
(test_expressions).

The reference itself is compared with PyTorch where that is installed (test_oracle, marked ``oracle``) and
with recorded results elsewhere (test_goldens), because what a backend and the reference share, their
agreement can not test.

inputs/       tensors and calls as plain data (description.py); more of them than the samples, and larger ones
samples/      what operators are called with, a file for each family
expressions/  what people write: functions, methods and keywords under their public names
fuzzing/      calls drawn by hypothesis, until one fails; those that failed are samples ever after: data/found
execution/    one call and all that can be observed of it (runner.py), held against the reference (check.py)
comparison/   two such observations, the tolerance between them, and what an author knows not to conform yet
pytorch/      PyTorch as the oracle, and where gnomon means to differ from it, each with its reason
mutation/     backends with one fault each, and the run that has to find them
collection/   which tests there are; in which order a backend is built up (tiers.py), and what that rests on
reporting/    what came of a test, and how it is judged; a run as JSON and as a page
tests/        the tests themselves

plugin.py is pytest's plug-in; conform.py, census.py, shadow.py, new_backend.py and goldens.py are commands.
"""

# What reports name: two of them tell of the same tests where it is the same.  Raised with a release of gnomon
# whose tests, samples or tolerances are others than those of the one before.
SUITE_VERSION = 1
