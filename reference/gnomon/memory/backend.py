"""Backend: what a device brings, memory and kernels; and how gnomon finds those that are installed.

The contract is the class ``Backend`` below.  A package offers one by an entry point in the group
``gnomon.backends``; the entry point's name is the backend's name, its value a Backend or a function that
returns one.  Nothing is loaded before somebody names it, and one that fails to load, or whose declaration is
not the contract's, only makes itself unavailable.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..values import late_bound
from ..values.device import device, scoped_device
from ..values.dtype import names_of_dtypes
from ..values.errors import BackendUnavailableError, OutOfMemoryError, unknown_name, warn
from ..values.locks import held_over_fork
from . import plug_ins
from .prepared import Kernel, PreparingKernel

# What a backend may be able to do beyond running single kernels.  The conformance suite asks for these words,
# never for a backend's name; what a backend does not list is not asked of it.
TRAITS = {
    "in_place": "an operator may write its result over its input",
    "strided_out": "results may be written to memory with gaps, an offset, or another order",
    "autograd": "gradients of its operators are computed on it",
    "float64": "it has double precision",
    "complex": "it has complex numbers",
    "half": "it has float16 and bfloat16",
    "deterministic": "the same call on the same numbers gives the same bits",
    "random": "it draws the numbers of gnomon's stream (Philox) for a seed",
    "threads": "several Python threads may use it at once",
    "large": "tensors of more than 2**31 elements",
    "memory_stats": "it counts its memory, and gives cached memory back",
    "streams": "work can be queued on several streams, and runs asynchronously",
}
EXTRA_TRAITS = ("memory_stats", "streams")  # what a backend has to say that it has
USUAL_TRAITS = frozenset(TRAITS).difference(EXTRA_TRAITS)


# The version of the contract below, (major, minor); what each changed stands in docs/writing_a_backend.md,
# "Versions of the contract".  A minor one is made by what is only added, and a backend that does not know of
# it misses nothing; a major one by what is gone or means something else.
CONTRACT_VERSION = (1, 2)
OLDEST_CONTRACT_SERVED = (1, 0)  # raised where something goes away that backends of that version rely on
_VERSIONS = 'docs/writing_a_backend.md, "Versions of the contract"'


class Claim(NamedTuple):
    """What a kernel takes: more than dtypes can say.

    dtypes   names of dtypes, or None for all
    strided  False: only tensors whose elements lie densely in row-major order
    """

    dtypes: tuple[str, ...] | None = None
    strided: bool = True


class Backend:
    """The contract.  Subclass it, or offer an object with the same attributes.

    contract_version  the version of this contract that the backend was written for, as CONTRACT_VERSION has
                 it.  One that says none is of the first, from before there were versions
    name         what ``GNOMON_BACKEND`` selects
    device_type  the ``type`` of its devices; usually the name
    host_memory  may the reference's kernels read and write its memory in place (``host_view``)?
    has_addresses  are blocks of memory named by machine addresses (``address``), which prepared kernels take?
    speed_rank   which backend the alias ``cpu`` picks: the highest among gnomon's own with host memory
    reads_float32_numbers  do pointwise kernels of half precision take a number as a float32 operand?  Else
                 a number that half precision does not hold makes the call one of float32
    kernels      operator name -> kernel.  A kernel has the parameters of the reference's kernel of that
                 operator, and receives finished facts: shapes agree, dtypes are equal where they have to be,
                 outputs are allocated and do not overlap inputs.  It never raises on its inputs.  Or a
                 PreparingKernel (memory/prepared.py), which returns the call to be made
    capabilities operator name -> names of the dtypes that its kernel takes, None for all, or a Claim.  What
                 is not listed is not claimed: it runs by the fallback policy.
    traits       what it can do beyond that: words of TRAITS
    conformance_file  the path of the author's own list of known failures and loosened tolerances, which the
                 conformance suite reads; None: there is none
    device_module  the module that ``gn.<device type>`` is, by its dotted name: what users can ask of such
                 devices beyond tensors, as torch.cuda is; "" for none
    """

    contract_version: tuple[int, int] = (1, 0)  # never raised: this is what those inherit that say none
    name: str = ""
    device_type: str = ""
    host_memory: bool = False
    has_addresses: bool = False
    speed_rank: int = 0
    reads_float32_numbers: bool = False
    kernels: Mapping[str, Kernel] = {}
    capabilities: Mapping[str, tuple[str, ...] | Claim | None] = {}
    traits: frozenset[str] = USUAL_TRAITS
    conformance_file: str | os.PathLike[str] | None = None
    device_module: str = ""

    def is_available(self) -> tuple[bool, str]:
        """Can it run here, and if not, why."""
        return True, ""

    def device_count(self) -> int:
        """How many devices of this type there are."""
        return 1

    def allocate(self, nbytes: int, index: int) -> Any:
        """Memory for ``nbytes`` bytes (maybe 0) on device ``index``; freed when the object is.

        Raises OutOfMemoryError.
        """
        raise NotImplementedError(f"backend {self.name!r}: allocate must be defined")

    def copy_in(self, memory: Any, offset: int, data: memoryview) -> None:
        """Write host bytes into ``memory`` from byte ``offset`` on."""
        raise NotImplementedError(f"backend {self.name!r}: copy_in must be defined")

    def copy_out(self, memory: Any, offset: int, nbytes: int) -> bytes | bytearray | memoryview:
        """Bytes of ``memory`` on the host."""
        raise NotImplementedError(f"backend {self.name!r}: copy_out must be defined")

    def copy_between(self, to: Any, source: Any, nbytes: int) -> None:
        """Copy the first bytes of one block to another, each on any device of this type."""
        self.copy_in(to, 0, memoryview(self.copy_out(source, 0, nbytes)))

    def synchronize(self, index: int) -> None:
        """Wait until everything asked of device ``index`` is done; errors of earlier kernels come out
        here.
        """

    def set_num_threads(self, count: int) -> None:
        """How many threads a call with enough work uses; for backends that have some to set."""

    def num_threads(self) -> int:
        """How many threads a call with enough work uses."""
        return 1

    def thread_pools(self) -> tuple[str, ...]:
        """What can run those threads, by name, the one that does first; for backends that have a choice."""
        return ()

    def memory_stats(self, index: int) -> Mapping[str, int]:
        """Bytes on device ``index``: ``allocated`` to somebody, ``cached`` for the next request, and the most
        ever allocated (``peak``).  Empty from a backend that does not count.
        """
        return {}

    def reset_peak_memory(self, index: int) -> None:
        """Count the peak anew from what is allocated now."""

    def empty_cache(self) -> None:
        """Give memory that nobody uses back."""

    def set_memory_limit(self, nbytes: int | None, index: int) -> None:
        """The most bytes that device ``index`` may hold, allocated and cached; None: as many as there are.

        Raises RuntimeError from a backend that has no such limit.
        """
        raise RuntimeError(f"backend {self.name!r} has no limit of its memory")

    def host_view(self, memory: Any, nbytes: int) -> memoryview:
        """The bytes in place, writable.  Only where ``host_memory`` is True."""
        raise NotImplementedError(f"backend {self.name!r}: host_view must be defined")

    def address(self, memory: Any) -> int:
        """The address of the first byte, or any number that identifies the block."""
        return id(memory)

    def wrap_host_memory(self, data: memoryview, address: int) -> Any:
        """Memory over bytes that somebody else owns, at ``address``; it keeps ``data`` alive.

        None from a backend that can not show foreign memory.
        """
        return None

    def allocate_address(self, nbytes: int, index: int) -> float:
        """The address of ``nbytes`` that a tensor is to own without a Storage, as the speedups make it.

        Only for backends with prepared kernels.  Raises OutOfMemoryError.
        """
        raise NotImplementedError(f"backend {self.name!r}: allocate_address must be defined")

    def adopt(self, address: float, nbytes: int) -> Any:
        """Memory for a Storage, at an address that was allocated without one; it does not own that yet.

        Only for backends with prepared kernels.
        """
        raise NotImplementedError(f"backend {self.name!r}: adopt must be defined")

    def take_over(self, memory: Any, address: float) -> None:
        """Make ``memory``, which ``adopt`` returned, give the address back when nobody refers to it any more.

        Called when a Storage has it: an interrupt in between leaves the address with its tensor.  After an
        interrupt within, it is called again.
        """

    # Added in version 1.2.  An object that is no subclass of Backend has none of it: ``offers_of``.

    def allocate_entry(self) -> tuple[Callable[[float], float], float] | None:
        """A function from a number of bytes to the address of a new block, 0.0 where there is no memory, and
        the address of its machine code: how speedups allocate.  None: there is none.
        """
        return None

    def free_entry(self) -> float:
        """The address of the machine code that gives a block back, by its address; 0.0: there is none, and
        the function is called that ``prepared.register_free`` was given.
        """
        return 0.0

    def record_stream(self, memory: Any, stream: Any) -> None:
        """Work in ``stream`` uses ``memory``: once released, it rests until that is done.

        Asked of backends with the trait ``streams``.
        """
        raise NotImplementedError(f"backend {self.name!r}: record_stream must be defined")

    def kernel_source(self, operator: str) -> str:
        """Where the kernel of ``operator`` is written: a file and a line, or a symbol of a library."""
        kernel: Any = self.kernels[operator]
        while hasattr(kernel, "__wrapped__") or hasattr(
            kernel, "func"
        ):  # of functools' decorators, a partial
            kernel = getattr(kernel, "__wrapped__", None) or kernel.func
        code = getattr(kernel, "__code__", None) or getattr(type(kernel).__call__, "__code__", None)
        if code is None:  # a function of another language
            module = getattr(kernel, "__module__", None) or type(kernel).__module__
            return f"{module}.{getattr(kernel, '__qualname__', type(kernel).__qualname__)}"
        return place_of(code, code.co_firstlineno)


_NOTHING_MORE = Backend()


def offers_of(backend: Any) -> Backend:
    """What says what ``backend`` offers beyond version 1.0 of the contract: itself, or, for an object that is
    no subclass of Backend, one that offers nothing.
    """
    return backend if isinstance(backend, Backend) else _NOTHING_MORE


def place_of(code: CodeType, line: int) -> str:
    """A file, from its package on (but gnomon's own from within), and a line: ``ops/linalg/matmul.py:12``."""
    file = os.path.relpath(
        code.co_filename, os.path.dirname(_package_around(os.path.dirname(code.co_filename)))
    )
    return f"{file.replace(os.sep, '/').removeprefix('gnomon/')}:{line}"


@functools.cache
def _package_around(folder: str) -> str:
    """The folder of the outermost package that ``folder`` is part of; where it is no package's, itself."""
    parent = os.path.dirname(folder)
    return _package_around(parent) if os.path.exists(os.path.join(parent, "__init__.py")) else folder


def claim_of(backend: Backend, operator: str) -> Claim | None:
    """What ``backend`` claims of ``operator``, whether it has a kernel or not; None: nothing."""
    if operator not in backend.capabilities:
        return Claim() if operator in backend.kernels else None
    said = backend.capabilities[operator]
    return said if isinstance(said, Claim) else Claim(said)


def claims(backend: Backend, operator: str, dtype_name: str, dense: bool = False) -> bool:
    """Does ``backend`` have, and claim, ``operator`` on tensors of this dtype?

    ``dense``: on tensors that lie densely in row-major order; else on any.
    """
    if operator not in backend.kernels:
        return False
    said = backend.capabilities.get(operator)
    if isinstance(said, Claim):
        return (said.dtypes is None or dtype_name in said.dtypes) and (said.strided or dense)
    return said is None or dtype_name in said


# ---------------------------------------------------------------------------------------------------------
# What a backend says of itself.

# What a later version than 1.0 added is not asked of objects from before.
_ADDED = frozenset({"allocate_entry", "free_entry", "record_stream"})
_METHODS = tuple(
    name
    for name, value in vars(Backend).items()
    if callable(value) and not name.startswith("_") and name not in _ADDED
)


def check_declaration(backend: Any) -> None:
    """Is what ``backend`` says of itself of the kind that the contract wants?

    Raises TypeError or ValueError that names the attribute, what was expected and what came.
    """
    name = backend.name if isinstance(getattr(backend, "name", None), str) else type(backend).__name__
    _check_version(name, version_of(backend))

    def expect(attribute: str, kind: type | tuple[type, ...], words: str) -> Any:
        value = getattr(backend, attribute, None)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(
                f"backend {name!r}: {attribute} must be {words}, got {type(value).__name__} {value!r}"
            )
        return value

    for attribute in ("name", "device_type"):
        text = expect(attribute, str, "a str")
        if not text.isidentifier() or text == "cpu":
            raise ValueError(
                f"backend {name!r}: {attribute} must be an identifier other than 'cpu', got {text!r}"
            )
    for attribute in ("host_memory", "has_addresses", "reads_float32_numbers"):
        expect(attribute, bool, "a bool")
    expect("speed_rank", int, "an int")
    expect("device_module", str, "a str")
    expect("conformance_file", (str, os.PathLike, type(None)), "a path or None")
    for method in _METHODS:
        if not callable(getattr(backend, method, None)):
            raise TypeError(f"backend {name!r}: {method} must be a function of the contract, got none")
    unknown = sorted(map(repr, set(expect("traits", (frozenset, set), "a set of str")).difference(TRAITS)))
    if unknown:
        raise ValueError(f"backend {name!r}: traits must be of {', '.join(TRAITS)}; got {', '.join(unknown)}")
    known = late_bound.find_operators()
    for operator, kernel in expect("kernels", Mapping, "a mapping from operators' names to kernels").items():
        if not isinstance(operator, str) or not (callable(kernel) or isinstance(kernel, PreparingKernel)):
            raise TypeError(
                f"backend {name!r}: kernels[{operator!r}] must be a function or a PreparingKernel, got "
                f"{kernel!r}"
            )
        _check_operator(f"backend {name!r}: kernels[{operator!r}]", operator, known)
    claimed = expect(
        "capabilities", Mapping, "a mapping from operators' names to dtypes' names, None or a Claim"
    )
    for operator, said in claimed.items():
        _check_claim(name, operator, said)
        if operator not in known:  # a variant's claim is that of the operator whose kernel it runs
            _check_operator(f"backend {name!r}: capabilities[{operator!r}]", operator, known)
    wanted = ["host_view"] if backend.host_memory else []
    wanted += ["address", "allocate_address", "adopt"] if backend.has_addresses else []
    for method in wanted:
        if getattr(type(backend), method, None) is getattr(Backend, method):
            because = " where host_memory is True" if method == "host_view" else ""
            because = " where has_addresses is True" if "ad" in method else because
            raise TypeError(f"backend {name!r}: {method} must be defined{because}, got the contract's own")


def version_of(backend: Any) -> tuple[int, int]:
    """The version of the contract that ``backend`` was written for."""
    version: tuple[int, int] = getattr(backend, "contract_version", Backend.contract_version)
    return version


def _check_version(name: str, version: Any) -> None:
    """Raises TypeError for what is no version, ValueError for one that this gnomon does not serve.

    Asked first: of another version, the rest may well look wrong.
    """
    is_version = isinstance(version, tuple) and len(version) == 2 and all(type(n) is int for n in version)
    if not is_version:
        raise TypeError(
            f"backend {name!r}: contract_version must be a tuple of two ints, (major, minor), got "
            f"{type(version).__name__} {version!r}"
        )
    if OLDEST_CONTRACT_SERVED <= version <= CONTRACT_VERSION:
        return
    its, ours, oldest = (
        f"{major}.{minor}" for major, minor in (version, CONTRACT_VERSION, OLDEST_CONTRACT_SERVED)
    )
    if version > CONTRACT_VERSION:
        raise ValueError(
            f"backend {name!r}: it was written for version {its} of the contract, and this gnomon has "
            f"{ours}: install a newer gnomon, or a version of the backend for {ours} ({_VERSIONS})"
        )
    raise ValueError(
        f"backend {name!r}: it was written for version {its} of the contract, and this gnomon, which has "
        f"{ours}, serves none before {oldest}: change what has changed since, and set contract_version to "
        f"{CONTRACT_VERSION} ({_VERSIONS})"
    )


def _check_operator(place: str, operator: str, known: Mapping[str, str]) -> None:
    """Raises ValueError for what is no operator, and for a variant, which runs the kernel of another one.

    known: as ``late_bound.find_operators`` has it; empty while gnomon itself is being imported.
    """
    if not known or known.get(operator) == operator:
        return
    if operator in known:
        raise ValueError(f"{place} would never run: {operator!r} runs the kernel of {known[operator]!r}")
    import difflib  # rare path; keeps the import of gnomon short

    near = difflib.get_close_matches(operator, known, n=1)
    hint = f"; did you mean {known[near[0]]!r}?" if near else ""
    raise ValueError(f"{place} names no operator of gnomon{hint}")


def _check_claim(name: str, operator: Any, said: Any) -> None:
    place = f"backend {name!r}: capabilities[{operator!r}]"
    names = said.dtypes if isinstance(said, Claim) else said
    if not isinstance(operator, str):
        raise TypeError(f"{place}: an operator's name must be a str, got {type(operator).__name__}")
    if names is None:
        return
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"{place} must be a tuple of dtypes' names, None or a Claim, got {said!r}")
    unknown = [each for each in names if not isinstance(each, str) or each not in names_of_dtypes]
    if unknown:
        raise ValueError(
            f"{place} names no dtype of gnomon: {unknown[0]!r}; there are {', '.join(names_of_dtypes)}"
        )


# ---------------------------------------------------------------------------------------------------------
# The registry.

_lock = held_over_fork(threading.RLock())
_backends: dict[str, Backend] = {}
_broken: dict[str, str] = {}  # name -> why it did not load
_plug_ins: plug_ins.Offers | None = None
_num_threads: int | None = None  # what the user asked for, also of backends that are loaded later
_by_device_type: dict[str, Backend] = {}

AnyBackend = TypeVar("AnyBackend", bound=Backend)


def register_backend(backend: AnyBackend) -> AnyBackend:
    """Make ``backend`` known under its name.  Entry points come through here too.

    Raises TypeError or ValueError for a declaration that is not of the contract's kind, and for a device type
    that another backend has.
    """
    check_declaration(backend)
    with _lock:
        holder = _by_device_type.get(backend.device_type, backend).name
        if backend.device_type != backend.name and backend.device_type in backend_names():
            holder = backend.device_type  # which may not have been loaded yet
        if holder != backend.name:
            raise ValueError(
                f"backend {backend.name!r}: device_type {backend.device_type!r} is that of {holder!r}"
            )
        if _num_threads is not None and backend.host_memory:
            backend.set_num_threads(_num_threads)
        _backends[backend.name] = backend
        _by_device_type[backend.device_type] = backend
        _broken.pop(backend.name, None)
    late_bound.forget_calls()  # a kernel may be another one now
    return backend


def _find_plug_ins() -> plug_ins.Offers:
    global _plug_ins
    if _plug_ins is None:
        with _lock:
            _plug_ins = plug_ins.find()
    return _plug_ins


def backend_names() -> list[str]:
    """Names of all backends, built in and plugged in, whether they work or not."""
    offers = _find_plug_ins()
    names = {*_backends, *offers.entry_points, *offers.refused}
    return sorted(names, key=lambda name: (name not in _backends, name))


def shipped_backend_names() -> list[str]:
    """Names of the backends that are gnomon's own: the two built-in ones, and its distribution's."""
    return [*plug_ins.BUILT_IN, *_find_plug_ins().shipped]


def opened_backends() -> list[Backend]:
    """The backends that this program has loaded so far and that work, the built-in ones among them."""
    found = [backend_status(name) for name in list(_backends)]
    return [backend for backend, available, _ in found if backend is not None and available]


def is_loaded(name: str) -> bool:
    """Has this program loaded the backend of that name, or tried to?"""
    return name in _backends or name in _broken


def is_installed(name: str) -> bool:
    """Does every program find a backend of that name: is it built in, or a package's entry point?"""
    return name in plug_ins.BUILT_IN or find_entry_point(name) is not None


def find_entry_point(name: str) -> Any:
    """The entry point of the backend of that name; None where no distribution offers it."""
    if name in plug_ins.SHIPPED:
        return plug_ins.SHIPPED[name]
    return _find_plug_ins().entry_points.get(name)


def _load(name: str) -> Backend | None:
    """The backend of that name, loaded if need be; None when it is broken or there is none."""
    with _lock:
        if name in _backends:
            return _backends[name]
        entry_point = find_entry_point(name)
        if name in _broken or entry_point is None:
            return None
        backend, reason = plug_ins.guarded(lambda: register_backend(_made_by(entry_point)))
        if reason:
            _broken[name] = reason
        return backend


def _made_by(entry_point: Any) -> Backend:
    """The Backend that an entry point names: itself, or what the function or class there returns."""
    loaded = entry_point.load()
    if callable(loaded) and not isinstance(loaded, Backend):  # a class or a function
        loaded = loaded()
    name = getattr(loaded, "name", loaded)
    if name != entry_point.name:
        raise ValueError(f"entry point {entry_point.name!r} must offer a backend of that name, got {name!r}")
    return loaded


def _availability(backend: Backend) -> tuple[bool, str]:
    """What ``backend`` says of itself, or what it raised."""
    count, reason = _count_devices(backend)
    return count > 0, reason


def _count_devices(backend: Backend) -> tuple[int, str]:
    """How many devices ``backend`` has that can run here; 0 with the reason."""
    with _lock:  # it may import something
        said, reason = _asked(backend.is_available)
        if reason:
            return 0, reason
        try:
            available, why = said
            if not available:
                return 0, str(why)
        except Exception as error:  # of a stranger's objects
            return 0, f"is_available must return a bool and a str, got {plug_ins.reason_of(error)}"
        count, reason = _asked(backend.device_count)
    if not isinstance(count, int) or count < 1:
        return 0, f"device_count must be a positive int, got {reason or repr(count)}"
    return count, ""


def _asked(question: Callable[[], Any]) -> tuple[Any, str]:
    """What a function of a backend answers, and ""; or None, and what it raised, whatever that is.

    Whose an interrupt is takes a handler of signals to tell, which costs more than to ask once more.
    """
    try:
        return question(), ""
    except KeyboardInterrupt:
        _, reason = plug_ins.guarded(question)
        if not reason:  # it was the user's
            raise
        return None, reason
    except BaseException as error:
        return None, plug_ins.reason_of(error)


def backend_status(name: str) -> tuple[Backend | None, bool, str]:
    """The backend of that name (None if it does not load), whether it is available, and if not, why.

    A plug-in is imported by this, so only for a name that somebody asked for.
    """
    backend = _load(name)
    if backend is None:
        refused = _find_plug_ins().refused.get(name, "not installed")
        return None, False, _broken.get(name, refused)
    return backend, *_availability(backend)


def get_backend(name: str) -> Backend:
    """The backend of that name.

    Raises BackendUnavailableError naming the nearest name when there is none, or why it can not run.
    """
    backend, available, reason = backend_status(name)
    if available and backend is not None:
        return backend
    if name not in backend_names():
        raise BackendUnavailableError(unknown_name("backend", name, [*backend_names(), "cpu"]))
    raise BackendUnavailableError(f"backend {name!r} is not available: {reason}")


def find_device_module(device_type: str) -> Any:
    """The module that a device type's backend offers, whether it can run or not; None where there is none."""
    backend = _load(device_type) if device_type in backend_names() else None
    name = "" if backend is None else backend.device_module
    return importlib.import_module(name) if name else None


def get_device_module(device: device | str | None = None) -> Any:
    """What a backend offers beside its kernels for a device, by default the default one: ``gn.cuda``.

    Raises RuntimeError where it offers nothing.  Source: torch.get_device_module.
    """
    kind = str(get_default_device() if device is None else device).partition(":")[0]
    module = find_device_module(kind)
    if module is None:
        raise RuntimeError(f"get_device_module: the backend of {kind!r} has no module of its own")
    return module


def backend_of(device: device) -> Backend:
    """The backend whose device this is, loaded on first use.  Raises BackendUnavailableError."""
    found = _by_device_type.get(device.type)
    return found if found is not None else get_backend(device.type)


# ---------------------------------------------------------------------------------------------------------
# The default device: the innermost `with device(...)`, else set_default_device, else GNOMON_BACKEND, else
# `cpu`.

_default_device: device | None = None
_cpu_device: device | None = None


def set_default_device(device_or_name: device | str | None) -> None:
    """New tensors go to this device from now on; None restores the initial choice.

    Raises BackendUnavailableError for a backend that does not exist (naming the nearest) or can not run.
    """
    global _default_device
    _default_device = None if device_or_name is None else resolve_device(device_or_name)
    late_bound.forget_calls()


def get_default_device() -> device:
    """The device that new tensors go to."""
    scoped = scoped_device()
    if scoped is not None:
        return resolve_device(scoped)
    if _default_device is None:
        set_default_device(_initial_device())
    return _default_device  # type: ignore[return-value]


def _initial_device() -> device:
    name = os.environ.get("GNOMON_BACKEND", "").strip()
    if name in ("", "cpu"):
        return device("cpu")
    kind = name.partition(":")[0]
    _, available, reason = backend_status(kind)
    if not available and kind in backend_names():
        # asked for outside the program: say so, and let the program run
        _warn_unavailable(name, reason, "reference")
        return device("reference")
    return device(name)


def _warn_unavailable(name: str, reason: str, instead: str) -> None:
    warn(f"gnomon: backend {name!r} is not available: {reason}; running on {instead!r}")


def resolve_device(device_or_name: device | str | None) -> device:
    """The device that tensors carry: aliases replaced, index normalised, its backend loaded.

    None means the default device.  ``cpu`` is the fastest available backend with host memory that ships with
    gnomon: another one is used when it is named.
    Raises BackendUnavailableError, or RuntimeError for an index that no device has.
    """
    if _shadow_is_due:
        _start_shadow()
    if device_or_name is None:
        return get_default_device()
    asked = device(device_or_name)
    if asked.type == "cpu":
        return _resolve_cpu()
    backend = _by_device_type.get(asked.type)
    if backend is None:
        backend = get_backend(asked.type)
    count, reason = _count_devices(backend)
    if not count:
        raise BackendUnavailableError(f"backend {backend.name!r} is not available: {reason}")
    if asked.index is not None and asked.index >= count:
        raise RuntimeError(f"device '{asked}' does not exist: backend {backend.name!r} has {count} device(s)")
    if count == 1:
        return device(asked.type)
    return device(asked.type, asked.index or 0)


_shadow_is_due = bool(os.environ.get("GNOMON_SHADOW"))


def _start_shadow() -> None:
    """What ``GNOMON_SHADOW`` asks for, before the first tensor is there.

    Raises RuntimeError where no package offers an observer of that name.
    """
    global _shadow_is_due
    _shadow_is_due = False  # it asks for devices, too
    try:
        observer = plug_ins.offered("gnomon.observers").get("shadow")
        if observer is None:
            raise RuntimeError("GNOMON_SHADOW: no package offers it: pip install 'gnomon[conformance]'")
        observer.load()()
    except BaseException:
        _shadow_is_due = True
        raise


def _find_device(asked: device) -> device:
    """``resolve_device``, and the device itself where that one can not run here."""
    try:
        return resolve_device(asked)
    except RuntimeError:  # there is no such device here, or no such backend
        return asked


late_bound.find_device = _find_device


def set_num_threads(count: int) -> None:
    """How many threads a call with enough work uses, on the backends in host memory.

    Raises TypeError for what is no integer, RuntimeError for less than 1 or more than 2**31 - 1.

    Source: torch.set_num_threads.
    """
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {count}")
    if count >= 2**31:
        raise RuntimeError(f"set_num_threads expects less than 2**31, got {count}")
    global _num_threads
    resolve_device("cpu")  # which is to be among those that are loaded
    with _lock:
        _num_threads = count
        for backend in opened_backends():
            if backend.host_memory:
                backend.set_num_threads(count)


def get_num_threads() -> int:
    """How many threads a call with enough work uses, on the backend that ``cpu`` stands for.  Source:
    torch.get_num_threads.
    """
    return backend_of(resolve_device("cpu")).num_threads()


def _resolve_cpu() -> device:
    global _cpu_device
    if _cpu_device is None:
        with _lock:
            _cpu_device = _find_cpu_device()
    return _cpu_device


def _find_cpu_device() -> device:
    best: Backend = _backends["reference"]
    missing = {}
    for name in filter(is_installed, plug_ins.SHIPPED_HOSTS):
        backend, available, reason = backend_status(name)
        if backend is None or not available:
            missing[name] = reason
        elif backend.speed_rank > best.speed_rank:
            best = backend
    for name, reason in missing.items():
        _warn_unavailable(name, reason, best.name)
    return device(best.device_type)


# ---------------------------------------------------------------------------------------------------------
# The two backends that are always there.


class ReferenceBackend(Backend):
    """Host memory in bytearrays; its kernels are the reference kernels of the operators' records."""

    contract_version = CONTRACT_VERSION
    name = "reference"
    device_type = "reference"
    host_memory = True
    sources: ClassVar[
        dict[tuple[str, Callable[..., Any]], str]
    ] = {}  # (operator, kernel) -> the record's place

    def __init__(self) -> None:
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.capabilities: dict[str, tuple[str, ...] | None] = {}

    def kernel_source(self, operator: str) -> str:
        """Where the operator's record is written: many kernels are the same loop with another function."""
        return self.sources.get((operator, self.kernels[operator])) or super().kernel_source(operator)

    def allocate(self, nbytes: int, index: int) -> bytearray:
        try:
            return bytearray(nbytes)
        except (MemoryError, OverflowError):
            raise OutOfMemoryError(f"reference: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: bytearray, offset: int, data: memoryview) -> None:
        memoryview(memory)[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
        return memoryview(memory)[offset : offset + nbytes]

    def host_view(self, memory: bytearray, nbytes: int) -> memoryview:
        return memoryview(memory)

    def wrap_host_memory(self, data: memoryview, address: int) -> memoryview:
        return data

    def address(self, memory: bytearray) -> int:
        import ctypes  # only for who asks for an address; the standard library's own way to get one

        return ctypes.addressof(ctypes.c_char.from_buffer(memory)) if memory else 0


class MetaBackend(Backend):
    """No memory at all: operators compute sizes, strides and dtypes, and no numbers.

    Source: device='meta'.
    """

    contract_version = CONTRACT_VERSION
    name = "meta"
    device_type = "meta"

    def allocate(self, nbytes: int, index: int) -> None:
        return None

    def copy_in(self, memory: None, offset: int, data: memoryview) -> None:
        return None

    def copy_out(self, memory: None, offset: int, nbytes: int) -> bytes:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def address(self, memory: None) -> int:
        return 0


reference_backend = register_backend(ReferenceBackend())
meta_backend: Backend = register_backend(MetaBackend())
