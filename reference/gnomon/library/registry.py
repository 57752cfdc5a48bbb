"""Library: defines operators by schema, registers kernels by device or dispatch key, and removes both.

Source: torch/library.py.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .. import ops
from ..calls.record import Record
from ..dispatch import registration as core
from ..dispatch.dispatcher import Kernel, OpOverload
from ..dispatch.registration import EXPLICIT, IMPLICIT, KEY_PLACES, META, UserOperator
from ..memory.backend import backend_names

# Namespaces that users can not define operators in.
_RESERVED = ("prim", "prims")
_OURS = frozenset({"aten", *ops.__all__, "Any", "annotations"})

_defining: set[str] = set()  # namespaces of the live Libraries of kind DEF
_kept: list[Library] = []  # of the module-level functions, whose registrations are permanent


class _Contents:
    """What a library has registered; a separate object, so that a finalizer can remove it after the library
    is freed.
    """

    def __init__(self) -> None:
        self.namespace = ""  # set if only this library may define operators in it
        self.operators: list[UserOperator] = []
        self.registrations: list[tuple[str, str, Kernel]] = []

    def take_back(self) -> None:
        for registration in reversed(self.registrations):
            core.unregister(*registration)
        for operator in self.operators:
            core.undefine(operator)
        self.registrations.clear()
        self.operators.clear()
        _defining.discard(self.namespace)


class Library:
    """A set of definitions and registrations for operators in the namespace ``ns``, which last as long as it.

    kind: "DEF" defines operators in a namespace of its own, "FRAGMENT" in one shared with other libraries,
    "IMPL" registers kernels for operators defined elsewhere.  dispatch_key: the default key of ``impl``.
    Raises ValueError for another kind and for a reserved namespace, RuntimeError for a second "DEF",
    NotImplementedError for one of gnomon's own namespaces.  Source: torch.library.Library.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in _RESERVED:
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        if not ns.isidentifier():
            raise ValueError(f"{ns!r} is not a valid name for a namespace")
        if ns in _OURS and kind != "DEF":
            raise NotImplementedError(
                f"{ns} is a namespace of gnomon's own operators, whose kernels come from backends "
                "(docs/writing_a_backend.md)"
            )
        if kind == "DEF" and (ns in _defining or ns in _OURS):
            raise RuntimeError(
                f"Only a single library of kind DEF can be used to register the namespace {ns}, and there is "
                "one. Use FRAGMENT to define operators of a namespace in several places."
            )
        self._contents = _Contents()
        if kind == "DEF":
            _defining.add(ns)
            self._contents.namespace = ns
        core.namespace_of(ns)
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._destroyed = False
        weakref.finalize(self, self._contents.take_back)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Defines an operator by its schema, such as ``"add_one(Tensor x) -> Tensor"``; returns its name.

        alias_analysis: "" or "FROM_SCHEMA", both meaning that the schema declares all aliasing.  tags:
        for compilers; not used.  Raises RuntimeError for an invalid schema, and for an operator that is
        already defined.  Source: torch.library.Library.define.
        """
        self._check_alive()
        if alias_analysis not in ("", "FROM_SCHEMA"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        if self.kind == "IMPL":
            raise RuntimeError(
                f"define({schema!r}): cannot define an operator with a library of kind IMPL (namespace "
                f"{self.ns}); use DEF or FRAGMENT"
            )
        operator = core.define(self.ns, schema, Record)
        self._contents.operators.append(operator)
        return operator.schema.full_name

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Registers ``fn`` as a kernel of an operator, which need not be defined yet.

        dispatch_key: "CompositeImplicitAutograd" (the default) for a function that calls other operators,
        which autograd records; "CompositeExplicitAutograd" for one for all devices; a device type
        ("reference", "cuda"; "CPU" for all in host memory); "Meta"; "Autograd".  with_keyset: fn gets the
        remaining dispatch keys as its first argument.  Raises TypeError if fn is not callable, RuntimeError
        for an unknown key, for a "Meta" kernel of a CompositeImplicit operator, and if a kernel is already
        registered unless allow_override.  Source: torch.library.Library.impl.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        place = place_of(dispatch_key or self.dispatch_key)
        self._register(self._full_name(op_name), place, core.unboxed(fn, with_keyset), allow_override)

    def _register(self, name: str, place: str, kernel: Kernel, allow_override: bool = True) -> None:
        self._check_alive()
        qualname = f"{self.ns}::{name}"
        if not allow_override and core.is_registered(qualname, place):
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python overriding "
                f"{name}'s behavior for {place} dispatch key and {self.ns} namespace."
            )
        if place == META and core.is_registered(qualname, IMPLICIT):
            raise RuntimeError(
                f"We should not register a meta kernel directly to the operator '{name}', because it has a "
                "CompositeImplicitAutograd kernel. Instead, the operators that it calls should have meta "
                "kernels."
            )
        core.register(qualname, place, kernel)
        self._contents.registrations.append((qualname, place, kernel))

    def _full_name(self, op_name: str | OpOverload) -> str:
        if isinstance(op_name, OpOverload):
            return op_name.schema.full_name
        if not isinstance(op_name, str):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                f"{type(op_name)}"
            )
        namespace, _, name = op_name.rpartition("::")
        if namespace not in ("", self.ns):
            raise RuntimeError(f"impl({op_name!r}): this library is for the namespace {self.ns}")
        return name.removesuffix(".default")

    def _check_alive(self) -> None:
        assert not self._destroyed, "Library object has been destroyed"

    def _destroy(self) -> None:
        """Removes everything that was defined and registered here."""
        self._contents.take_back()
        self._destroyed = True


def place_of(dispatch_key: str) -> str:
    """The internal place of registrations for this dispatch key.  Raises RuntimeError for an unknown one."""
    if dispatch_key == "default":
        return EXPLICIT
    if dispatch_key in ("", IMPLICIT):
        return IMPLICIT
    if dispatch_key in (EXPLICIT, META) or dispatch_key in KEY_PLACES:
        return dispatch_key
    name = dispatch_key.lower()
    if name == "meta":
        return META
    if name not in ("cpu", "cuda", *backend_names()):
        places = [IMPLICIT, EXPLICIT, META, *KEY_PLACES, "CPU", "CUDA", *backend_names()]
        raise RuntimeError(
            f"could not parse dispatch key: {dispatch_key} (expected one of: "
            f"{', '.join(dict.fromkeys(places))})"
        )
    return name


def library_for(namespace: str, lib: Library | None) -> Library:
    """``lib``, or if None a permanent library."""
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _kept.append(lib)
    return lib


def define(
    qualname: str | Library,
    schema: str,
    alias_analysis: str = "",
    *,
    lib: Library | None = None,
    tags: Any = (),
) -> Any:
    """Defines an operator: ``define("mine::add_one", "(Tensor x) -> Tensor")``.

    lib: the definition lasts as long as this library; without it, permanently.  With a Library in place of
    the name and a schema with a name, a decorator of the CompositeImplicit function.  Raises ValueError for
    an invalid name or schema.  Source: torch.library.define.
    """
    if isinstance(qualname, Library):
        library = qualname

        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(library.define(schema, alias_analysis), function)
            return function

        return wrap
    if not isinstance(qualname, str):
        raise ValueError(
            f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}"
        )
    namespace, name = core.parse_qualified_name(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    library_for(namespace, lib).define(name + schema)
    return None


def impl(
    qualname: str | Library,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers a kernel: ``impl("mine::add_one", "cpu", function)``, or a decorator without the function.

    types: one or several device types or dispatch keys, "default" for every device.  lib: the registration
    lasts as long as this library.  With a Library first, then the operator's name and optionally a dispatch
    key, it is a decorator.  Raises the errors of Library.impl.  Source: torch.library.impl.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, types, func or ""

        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(name, function, key)  # type: ignore[arg-type]
            return function

        return wrap
    namespace, name = core.parse_qualified_name(qualname)
    places = list(dict.fromkeys(place_of(each) for each in ([types] if isinstance(types, str) else types)))

    def register(function: Callable[..., Any]) -> None:
        library = library_for(namespace, lib)
        for place in places:
            library.impl(name, function, place)

    return register if func is None else register(func)
