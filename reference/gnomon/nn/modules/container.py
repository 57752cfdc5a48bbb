"""Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict.

Source: torch/nn/modules/container.py.
"""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, TypeVar, overload

import gnomon as gn

from ...values.errors import warn
from ..parameter import Parameter
from .module import Module, _block, _indent
from .utils import typename

Self = TypeVar("Self", bound="_Numbered")


class Container(Module):
    """Deprecated: a module with the given children.  Warns (FutureWarning).  Source: torch.nn.Container."""

    def __init__(self, **kwargs: Any) -> None:
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.",
            FutureWarning,
        )
        super().__init__()
        for key, value in kwargs.items():
            self.add_module(key, value)


class _Numbered(Module):
    """A module with children in an order, accessible by number."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())  # type: ignore[arg-type]  # None stands for no module

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self._with_children(list(self._modules.items())[idx])
        return self._modules[self._name(idx)]

    def __setitem__(self, idx: int, module: Module | None) -> None:
        setattr(self, self._name(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        names = list(self._modules)
        for name in names[idx] if isinstance(idx, slice) else [self._name(idx)]:
            delattr(self, name)
        # The numbers of those after it change.
        self._modules = {str(number): module for number, module in enumerate(self)}

    def append(self: Self, module: Module) -> Self:
        """Adds ``module`` at the end; returns self."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self: Self, sequential: Iterable[Module]) -> Self:
        """Adds the modules at the end; returns self."""
        for module in list(sequential):  # a copy, because it may be the container itself
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Removes and returns the child, or a container of the children, at ``key``."""
        found = self[key]
        del self[key]
        return found

    def _insert(self, index: int, module: Module) -> None:
        """Inserts before child ``index``, whose number and those after it change."""
        for number in range(len(self), index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module

    def _name(self, idx: int) -> str:
        """The name of child ``idx``, which may be negative.  Raises IndexError."""
        number = operator.index(idx)
        if not -len(self) <= number < len(self):
            raise IndexError(f"index {number} is out of range")
        return list(self._modules)[number]

    def _with_children(self, chosen: list[tuple[str, Any]]) -> Any:
        """A container of this class with only the chosen children."""
        raise NotImplementedError


class Sequential(_Numbered):
    """A chain of modules: the output of each is the input of the next.

    Takes modules, or one dict of named modules.  Raises TypeError for an argument that is not a Module.
    Source: torch.nn.Sequential.
    """

    @overload
    def __init__(self, *args: Module) -> None: ...

    @overload
    def __init__(self, arg: Mapping[str, Module], /) -> None: ...

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            named = list(args[0].items())
        else:
            named = [(str(number), module) for number, module in enumerate(args)]
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """The last module's output."""
        for module in self:
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> Sequential:
        """Inserts ``module`` before child ``index``; returns self.

        Raises AssertionError if it is not a Module, IndexError for an index out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + len(self) if index < 0 else index, module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *_checked_sequential(other))

    def __iadd__(self, other: Sequential) -> Sequential:
        return self.extend(_checked_sequential(other))

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*itertools.chain.from_iterable(itertools.repeat(list(self), other)))

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, factor: int) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def _with_children(self, chosen: list[tuple[str, Any]]) -> Sequential:
        return type(self)(dict(chosen))


def _checked_sequential(other: Any) -> Sequential:
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )
    return other


class ModuleList(_Numbered):
    """A list of modules whose parameters belong to the module that holds the list; it has no ``forward``.

    Source: torch.nn.ModuleList.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Adds ``modules`` at the end; returns self.  Raises TypeError for what is not iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        return super().extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Inserts ``module`` before child ``index``."""
        self._insert(index, module)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(itertools.chain(self, other))

    def __iadd__(self, other: Iterable[Module]) -> ModuleList:
        return self.extend(other)

    def _with_children(self, chosen: list[tuple[str, Any]]) -> ModuleList:
        return type(self)([module for _, module in chosen])

    def __repr__(self) -> str:
        """Adjacent children with the same text are shown once, with their count."""
        lines = []
        first = 0
        for text, equal in itertools.groupby(map(repr, self)):
            count = len(list(equal))
            last = first + count - 1
            lines.append(
                _indent(f"({first}): {text}" if count == 1 else f"({first}-{last}): {count} x {text}")
            )
            first = last + 1
        return _block(self._get_name(), lines)


def _named_values(kind: str, values: Any) -> list[tuple[str, Any]]:
    """The pairs of an argument of ``update``.  Raises TypeError or ValueError for what are no pairs."""
    name = kind.replace("ParameterDict", "ParametersDict")  # as in PyTorch's text
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{name}.update should be called with an iterable of key/value pairs, but got "
            f"{type(values).__name__}"
        )
    if isinstance(values, (Mapping, ModuleDict, ParameterDict)):
        return list(values.items())
    pairs: list[tuple[str, Any]] = []
    for number, pair in enumerate(values):
        start = f"{kind} update sequence element #{number}"
        if not isinstance(pair, Iterable):
            raise TypeError(f"{start} should be Iterable; is{type(pair).__name__}")
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(f"{start} has length {len(pair)}; 2 is required")
        pairs.append(pair)
    return pairs


class ModuleDict(Module):
    """A dict of modules whose parameters belong to the module that holds the dict; it has no ``forward``.

    ``modules`` is a mapping or an iterable of pairs.  Source: torch.nn.ModuleDict.
    """

    def __init__(
        self, modules: ModuleDict | Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None
    ) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module | None) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Removes and returns the module ``key``.  Raises KeyError if there is none."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """The names and modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: ModuleDict | Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds or replaces the modules of a mapping or of an iterable of pairs.

        Raises TypeError or ValueError for another argument.
        """
        for key, module in _named_values("ModuleDict", modules):
            self[key] = module


class ParameterList(Module):
    """A list whose tensors are parameters of the module that holds it; other values are kept as they are.

    Tensors become Parameters.  Calling it raises RuntimeError.  Source: torch.nn.ParameterList.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, idx: int) -> str:
        """The attribute's name for an index, which may be negative.  Raises IndexError."""
        number = operator.index(idx)
        if not -len(self) <= number < len(self):
            raise IndexError(f"index {number} is out of range")
        return str(number % len(self))

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(self[each] for each in range(len(self))[idx])
        return getattr(self, self._name(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[each] for each in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> ParameterList:
        return self.extend(parameters)

    def append(self, value: Any) -> ParameterList:
        """Adds a value at the end; returns self."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds values at the end; returns self.  Raises TypeError for a tensor, and for no iterable."""
        if not isinstance(values, Iterable) or isinstance(values, gn.Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return _described(enumerate(self), lambda tensor: str(tensor.dtype))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict whose tensors are parameters of the module that holds it; other values are kept as they are.

    ``parameters`` is a mapping or an iterable of pairs; tensors become Parameters, keys are strings.  Calling
    it raises RuntimeError.  Source: torch.nn.ParameterDict.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, self._key_to_attr(key), _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A dict with the same values."""
        return ParameterDict(self.items())

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, which is first set to ``default`` if there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all values."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes and returns the value of ``key``.  Raises KeyError or AttributeError if there is none."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Removes and returns the last pair.  Raises KeyError if there is none."""
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default`` if there is none."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dict with the same value for each key."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """The keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds or replaces the values of a mapping or of an iterable of pairs.

        Those of a mapping that is not an OrderedDict are added in the order of its keys.  Raises TypeError or
        ValueError for another argument.
        """
        named = _named_values("ParameterDict", parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            named.sort(key=operator.itemgetter(0))
        for key, value in named:
            self[key] = value

    def extra_repr(self) -> str:
        return _described(self.items(), typename)

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self


def _as_parameter(value: Any) -> Any:
    """A tensor as a Parameter; other values as they are."""
    is_plain = isinstance(value, gn.Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _described(named: Iterable[tuple[Any, Any]], kind: Any) -> str:
    """One line for each value; ``kind`` gives the name of a tensor's type."""
    lines = []
    for name, value in named:
        if isinstance(value, gn.Tensor):
            sizes = "x".join(map(str, value.shape))
            where = f" ({value.device})" if value.device.type == "cuda" else ""
            what = "Parameter" if isinstance(value, Parameter) else "Tensor"
            lines.append(f"  ({name}): {what} containing: [{kind(value)} of size {sizes}{where}]")
        else:
            lines.append(f"  ({name}): Object of type: {type(value).__name__}")
    return "\n".join(lines)
