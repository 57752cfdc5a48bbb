"""Reads a pickle without running any code of its author.

Python's own unpickler calls whatever function a file names.  This one runs the same opcodes, but calls only
the functions of ``torch_names.FUNCTIONS`` and what the user has allowed with ``add_safe_globals``.

Source: torch/_weights_only_unpickler.py; pickletools.genops, which decodes the opcodes.
"""

from __future__ import annotations

import pickletools
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from pickle import UnpicklingError
from typing import Any

import gnomon as gn

from ..values.library_name import LIBRARY
from .torch_names import FUNCTIONS, VALUES

# A function or class, or a pair of one and the name that it has in files.
SafeGlobal = Callable[..., Any] | tuple[Callable[..., Any], str]

_BLOCKED_MODULES = ("sys", "os", "posix", "nt")
_PYTHON_2 = {"__builtin__": "builtins", "copy_reg": "copyreg"}  # names of modules in protocols 0 to 2
_MAX_DEPTH = 1000  # Python's pickler reaches less
_safe_globals: list[SafeGlobal] = []


def add_safe_globals(safe_globals: Sequence[SafeGlobal]) -> None:
    """Allow ``gnomon.load`` with ``weights_only=True`` to call these functions and classes.

    Each is a callable, or a pair of a callable and the full name that it has in the file.  Raises ValueError
    for a tuple of another length, TypeError if a name is not a str.  Source:
    torch.serialization.add_safe_globals.
    """
    for each in safe_globals:
        _name_of(each)
    _safe_globals.extend(each for each in safe_globals if each not in _safe_globals)


def get_safe_globals() -> list[SafeGlobal]:
    """What ``add_safe_globals`` has allowed.  Source: torch.serialization.get_safe_globals."""
    return list(_safe_globals)


def clear_safe_globals() -> None:
    """Forget what ``add_safe_globals`` has allowed.  Source: torch.serialization.clear_safe_globals."""
    _safe_globals.clear()


class safe_globals:
    """Allows functions and classes, as ``add_safe_globals`` does, inside a ``with`` block.

    Source: torch.serialization.safe_globals.
    """

    def __init__(self, safe_globals: Sequence[SafeGlobal]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: object) -> None:
        _safe_globals[:] = self._before


def _name_of(allowed: SafeGlobal) -> str:
    """The full name that a user's function or class has in files."""
    if not isinstance(allowed, tuple):
        return f"{allowed.__module__}.{allowed.__qualname__}"
    if len(allowed) != 2:
        raise ValueError(
            "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
            f"{len(allowed)}"
        )
    if type(allowed[1]) is not str:
        raise TypeError(
            f"Expected second item in tuple to be str of callable full path, but got: {type(allowed[1])}"
        )
    return allowed[1]


def _full_name(module: str, name: str) -> str:
    return f"{_PYTHON_2.get(module, module)}.{name}"


class WeightsUnpickler:
    """Loads one pickle: ``WeightsUnpickler(data, persistent_load).load()``.

    ``persistent_load`` returns the storage for a persistent id, a tuple.
    """

    def __init__(self, data: bytes, persistent_load: Callable[[Any], Any]) -> None:
        self._data = data
        self._persistent_load = persistent_load
        self._stack: list[Any] = []
        self._marked: list[list[Any]] = []  # the stacks below the marks
        self._memo: dict[int, Any] = {}
        self._depths: dict[int, int] = {}  # of the tuples and frozensets made so far, which _kept keeps alive
        self._kept: list[Any] = []
        self._is_reading_storage = False
        self._allowed = {
            _name_of(each): each[0] if isinstance(each, tuple) else each for each in _safe_globals
        }
        functions = [*FUNCTIONS.values(), *self._allowed.values()]
        self._functions = {id(each): each for each in functions}

    def load(self) -> Any:
        """The object.

        Raises pickle.UnpicklingError, with the place, for a pickle that is invalid or that calls anything
        that is not allowed.
        """
        position = 0
        try:
            for opcode, argument, at in pickletools.genops(self._data):
                position = at or 0
                self._run(opcode.name, argument)
            return self._stack.pop()
        except Exception as error:
            if self._is_reading_storage:  # the error names the file itself
                raise
            text = str(error) if isinstance(error, UnpicklingError) else f"{type(error).__name__}: {error}"
            raise UnpicklingError(f"{text} (byte {position} of the pickle)") from error

    def _run(self, opcode: str, argument: Any) -> None:
        stack = self._stack
        match opcode:
            case "PROTO" | "FRAME" | "STOP":
                pass
            case "NONE":
                stack.append(None)
            case "NEWTRUE" | "NEWFALSE":
                stack.append(opcode == "NEWTRUE")
            case "BININT" | "BININT1" | "BININT2" | "LONG1" | "LONG4" | "BINFLOAT":
                stack.append(argument)
            case "BINUNICODE" | "SHORT_BINUNICODE" | "BINUNICODE8":
                stack.append(argument)
            case "BINBYTES" | "SHORT_BINBYTES" | "BINBYTES8" | "BYTEARRAY8":
                stack.append(argument)
            case "BINSTRING" | "SHORT_BINSTRING":  # Python 2's strings
                stack.append(argument.encode("latin1").decode("utf-8"))
            case "EMPTY_TUPLE" | "EMPTY_LIST" | "EMPTY_DICT" | "EMPTY_SET":
                stack.append({"TUPLE": tuple, "LIST": list, "DICT": dict, "SET": set}[opcode[6:]]())
            case "MARK":
                self._marked.append(stack)
                self._stack = []
            case "TUPLE":
                self._push(self._nested(tuple(self._pop_to_mark())))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                self._push(self._nested(tuple(self._pop(int(opcode[-1])))))
            case "FROZENSET":
                self._push(self._nested(frozenset(self._pop_to_mark())))
            case "APPEND":
                self._extend(list, [stack.pop()])
            case "APPENDS":
                self._extend(list, self._pop_to_mark())
            case "ADDITEMS":
                self._extend(set, self._pop_to_mark())
            case "SETITEM":
                self._set_items(self._pop(2))
            case "SETITEMS":
                self._set_items(self._pop_to_mark())
            case "POP":
                stack.pop()
            case "POP_MARK":
                self._pop_to_mark()
            case "DUP":
                stack.append(stack[-1])
            case "BINGET" | "LONG_BINGET":
                stack.append(self._memo[argument])
            case "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = stack[-1]
            case "MEMOIZE":
                self._memo[len(self._memo)] = stack[-1]
            case "GLOBAL":
                stack.append(self._find(*argument.split(" ", 1)))
            case "STACK_GLOBAL":
                self._push(self._find(*self._pop(2)))
            case "REDUCE":
                function, arguments = self._pop(2)
                self._push(self._call(function, arguments))
            case "NEWOBJ":
                cls, arguments = self._pop(2)
                self._push(self._make(cls, arguments, {}))
            case "NEWOBJ_EX":
                self._push(self._make(*self._pop(3)))
            case "BUILD":
                state = stack.pop()
                self._build(stack[-1], state)
            case "BINPERSID":
                saved_id = stack.pop()
                self._is_reading_storage = True
                stack.append(self._persistent_load(saved_id))
                self._is_reading_storage = False
            case _:
                raise UnpicklingError(f"Unsupported operand {opcode}")

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _pop(self, count: int) -> list[Any]:
        if len(self._stack) < count:
            raise IndexError("pop from empty list")
        popped = self._stack[-count:]
        del self._stack[-count:]
        return popped

    def _pop_to_mark(self) -> list[Any]:
        popped, self._stack = self._stack, self._marked.pop()
        return popped

    def _nested(self, made: Any) -> Any:
        """``made``, a tuple or frozenset; too deep a one would overflow the stack when it is hashed."""
        depth = 1 + max((self._depths.get(id(each), 0) for each in made), default=0)
        if depth > _MAX_DEPTH:
            raise UnpicklingError(f"Tuples are nested more than {_MAX_DEPTH} deep")
        self._depths[id(made)] = depth
        self._kept.append(made)
        return made

    def _extend(self, kind: Any, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not kind:
            raise UnpicklingError(f"Can only extend {kind.__name__}s, but got {type(target)}")
        if kind is list:
            target.extend(items)
        else:
            target.update(items)

    def _set_items(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, but got "
                f"{type(target)}"
            )
        if len(items) % 2:
            raise UnpicklingError("SETITEMS: there is a key without a value")
        for key, value in zip(items[::2], items[1::2]):
            target[key] = value

    def _find(self, module: str, name: str) -> Any:
        """The object that a full name stands for.  Raises UnpicklingError for one that is not allowed."""
        path = _full_name(module, name)
        if module in _BLOCKED_MODULES:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        for known in (FUNCTIONS, VALUES, self._allowed):
            if path in known:
                return known[path]
        path = path.removeprefix("builtins.")
        raise UnpicklingError(
            f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use "
            f"`{LIBRARY}.serialization.add_safe_globals([{path}])` or the "
            f"`{LIBRARY}.serialization.safe_globals([{path}])` context manager to allowlist this global if "
            "you trust this class/function."
        )

    def _check_no_tensor(self, cls: Any) -> None:
        """A tensor without a storage must never exist, even if the user has allowed its class."""
        if isinstance(cls, type) and issubclass(cls, gn.Tensor):
            raise UnpicklingError(
                f"A tensor is made only by the functions that rebuild tensors, not by {cls}"
            )

    def _call(self, function: Any, arguments: Any) -> Any:
        if id(function) not in self._functions:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {function}")
        self._check_no_tensor(function)
        return function(*arguments)

    def _make(self, cls: Any, arguments: Any, keywords: Any) -> Any:
        if not isinstance(cls, type) or cls not in self._allowed.values():
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
                f"but got {cls}"
            )
        self._check_no_tensor(cls)
        return cls.__new__(cls, *arguments, **keywords)

    def _build(self, made: Any, state: Any) -> None:
        """Gives ``made`` its attributes.  Only an OrderedDict and objects of a user's classes have any."""
        if type(made) is not OrderedDict:
            if type(made) not in self._allowed.values():
                raise UnpicklingError(
                    "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                    f"`add_safe_globals`, but got {type(made)}"
                )
            self._check_no_tensor(type(made))
        if hasattr(made, "__setstate__"):
            made.__setstate__(state)
            return
        attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        made.__dict__.update(attributes or {})
        for name, value in (slots or {}).items():
            setattr(made, name, value)
