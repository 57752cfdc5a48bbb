"""Fuzzer: random sizes, strides and values of a statement's inputs.  It needs NumPy for random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...bindings.functions import operator_functions
from ...random import manual_seed
from ...values.dtype import dtype as DType
from ...values.dtype import float32


class ParameterAlias:
    """The value of a parameter that is the one of another parameter.

    Source: torch.utils.benchmark.ParameterAlias.
    """

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A random number with a name.

    distribution  "uniform" or "loguniform" between ``minval`` and ``maxval``, both included; or a dictionary
                  from values, among which a ParameterAlias may be, to probabilities.  A loguniform number is
                  an integer; so is a uniform one if both bounds are.
    strict        the number is not drawn again if the parameters together do not fit

    Raises AssertionError for another distribution, and for probabilities that are negative or whose sum is
    not 1.  Source: torch.utils.benchmark.FuzzedParameter.
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: str | dict[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        if isinstance(distribution, dict):
            if any(probability < 0 for probability in distribution.values()):
                raise AssertionError("Probabilities cannot be negative")
            if abs(sum(distribution.values()) - 1) > 1e-5:
                raise AssertionError("Distribution is not normalized")
            for bound, value in (("minval", minval), ("maxval", maxval)):
                if value is not None:
                    raise AssertionError(f"When passing a custom distribution, '{bound}' must be None")
        elif distribution not in ("loguniform", "uniform"):
            raise AssertionError(f"Unknown distribution: {distribution}")
        self._name = name
        self._bounds: Any = (minval, maxval)
        self._distribution = distribution
        self.strict = strict

    @property
    def name(self) -> str:
        """By which tensors refer to it."""
        return self._name

    def sample(self, state: Any) -> Any:
        """Draws a value from a ``numpy.random.RandomState``."""
        low, high = self._bounds
        if isinstance(self._distribution, dict):
            index = state.choice(len(self._distribution), p=tuple(self._distribution.values()))
            return list(self._distribution)[index]
        if self._distribution == "loguniform":
            drawn = int(2 ** state.uniform(low=math.log2(low), high=math.log2(high)))
            return min(max(drawn, low), high)
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)


class FuzzedTensor:
    """A random tensor with a name.

    size, steps             numbers, or names of parameters; with steps it is each step-th element of a larger
                            tensor
    probability_contiguous  of not permuting the memory
    min_elements, max_elements, max_allocation_bytes
                            limits: parameters are drawn again if they are not kept
    dim_parameter           the name of the parameter that is the number of dimensions
    roll_parameter          is not used
    tensor_constructor      called with ``size``, ``dtype`` and all parameters, instead of ``rand``

    Source: torch.utils.benchmark.FuzzedTensor.
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: DType = float32,
        cuda: bool = False,
        tensor_constructor: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._size, self._steps = size, steps or ()
        self._probability_contiguous = probability_contiguous
        self._limits = min_elements, max_elements, max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._dtype = dtype
        self._cuda = cuda
        self._constructor = tensor_constructor or self.default_tensor_constructor

    @property
    def name(self) -> str:
        """By which Fuzzer.take returns it."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Sequence[int], dtype: DType, **kwargs: Any) -> Any:
        """Numbers in [0, 1), or integers from 1 to 126."""
        functions = operator_functions()
        if dtype.is_floating_point or dtype.is_complex:
            return functions["rand"](size, dtype=dtype)
        return functions["randint"](1, 127, size, dtype=dtype)

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Are the limits kept with these parameters?"""
        size, steps = self._size_and_steps(params)
        least, most, most_bytes = self._limits
        elements, allocated = math.prod(size), math.prod(size) * math.prod(steps) * self._dtype.itemsize
        return not (
            (least is not None and elements < least)
            or (most is not None and elements > most)
            or (most_bytes is not None and allocated > most_bytes)
        )

    def _size_and_steps(self, params: dict[Any, Any]) -> tuple[list[int], list[int]]:
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolved(values: tuple[str | int, ...]) -> list[int]:
            found = [params.get(value, value) for value in values[:dim]]
            return found + [1] * (dim - len(found))

        return resolved(self._size), resolved(self._steps)

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        import numpy as np

        size, steps = self._size_and_steps(params)
        allocated = tuple(length * step for length, step in zip(size, steps))
        tensor = self._constructor(size=allocated, dtype=self._dtype, **params)
        if self._cuda:
            tensor = tensor.cuda()
        order = np.arange(len(size))
        if state.rand() > self._probability_contiguous:
            while len(size) > 1 and np.all(order == np.arange(len(size))):
                order = state.permutation(len(size))
            tensor = tensor.permute(tuple(order.tolist())).contiguous()
            tensor = tensor.permute(tuple(np.argsort(order).tolist()))
        tensor = tensor[tuple(slice(0, length * step, step) for length, step in zip(size, steps))]
        properties = {
            "numel": tensor.numel(),
            "order": order,
            "steps": tuple(steps),
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }
        return tensor, properties


class Fuzzer:
    """Draws parameters, and makes tensors of them.

    parameters, tensors  FuzzedParameters and FuzzedTensors, or lists of them
    constraints          functions that get the dictionary of all parameters; where one is false, they are
                         drawn again
    seed                 of the parameters, and of the random numbers in tensors; by default another each time

    Raises ValueError for names that are both a parameter's and a tensor's.
    Source: torch.utils.benchmark.Fuzzer.
    """

    def __init__(
        self,
        parameters: list[FuzzedParameter | list[FuzzedParameter]],
        tensors: list[FuzzedTensor | list[FuzzedTensor]],
        constraints: list[Callable[..., Any]] | None = None,
        seed: int | None = None,
    ) -> None:
        import numpy as np

        self._seed = np.random.RandomState().randint(0, 2**32 - 1, dtype=np.int64) if seed is None else seed
        self._parameters: list[FuzzedParameter] = _flat(parameters)
        self._tensors: list[FuzzedTensor] = _flat(tensors)
        self._constraints = constraints or []
        both = {each.name for each in self._parameters} & {each.name for each in self._tensors}
        if both:
            raise ValueError(f"Duplicate names in parameters and tensors: {both}")
        self._rejected = self._drawn = 0

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """``n`` times: the tensors by name, their properties, and the parameters.

        Raises ValueError after 1000 draws of parameters that do not fit, and for aliases in a circle.
        """
        import numpy as np

        state = np.random.RandomState(self._seed)
        manual_seed(int(state.randint(low=0, high=2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._draw(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            tensors = {name: tensor for name, (tensor, _) in made.items()}
            yield tensors, {name: properties for name, (_, properties) in made.items()}, params

    @property
    def rejection_rate(self) -> float:
        """The part of the draws that did not fit."""
        return self._rejected / self._drawn if self._drawn else 0.0

    def _draw(self, state: Any) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for _ in range(1000):
            params = {}
            for each in self._parameters:
                params[each.name] = kept[each.name] if each.name in kept else each.sample(state)
                if each.strict:
                    kept[each.name] = params[each.name]
            params = _without_aliases(params)
            self._drawn += 1
            if all(check(params) for check in self._constraints) and all(
                each.satisfies_constraints(params) for each in self._tensors
            ):
                return params
            self._rejected += 1
        raise ValueError("Failed to generate a set of valid parameters.")


def _flat(values: Iterable[Any]) -> list[Any]:
    return [one for each in values for one in (each if isinstance(each, (list, tuple)) else [each])]


def _without_aliases(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters, with the values of those that an alias refers to."""
    found = dict(params)
    for name in params:
        for _ in range(len(params)):
            if isinstance(found[name], ParameterAlias):
                found[name] = found[found[name].alias_to]
        if isinstance(found[name], ParameterAlias):
            raise ValueError(f"ParameterAlias cycle detected\n{params}")
    return found
