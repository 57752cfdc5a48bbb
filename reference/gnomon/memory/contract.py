"""The contract of backends: what gnomon requires of memory and kernels for a device type.

A backend author reads this file: the class ``Backend``, its traits and claims, and the checks that are made
when a backend is registered (memory/backend.py).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any, NamedTuple

from ..values import late_bound
from ..values.dtype import names_of_dtypes
from .prepared import Kernel, PreparingKernel

# Capabilities of a backend beyond single kernels.  The conformance suite looks at a backend's traits, never
# at its name, and does not test traits that the backend does not list.
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
    "updates": "kernels that write at indices check all of them first, and take a tensor as its own result",
}
EXTRA_TRAITS = ("memory_stats", "streams", "updates")  # a backend has these only if it lists them
USUAL_TRAITS = frozenset(TRAITS).difference(EXTRA_TRAITS)


# The version of the contract below, (major, minor).  docs/writing_a_backend.md, "Versions of the contract",
# lists the changes.  Additions raise the minor number; backends for an earlier minor version still work.  The
# major number is raised if something is removed or changes its meaning.
CONTRACT_VERSION = (1, 4)
OLDEST_CONTRACT_SERVED = (1, 0)  # raised if something is removed that backends of that version rely on
_VERSIONS = 'docs/writing_a_backend.md, "Versions of the contract"'


class Claim(NamedTuple):
    """What a kernel supports: its dtypes, and whether it takes tensors with any strides.

    dtypes   names of dtypes, or None for all
    strided  False: only contiguous tensors
    """

    dtypes: tuple[str, ...] | None = None
    strided: bool = True


class Backend:
    """The contract.  Subclass it, or provide an object with the same attributes.

    contract_version  the version of this contract that the backend was written for: the CONTRACT_VERSION of
                 that time.  A backend that declares none is treated as one for 1.0
    name         what ``GNOMON_BACKEND`` selects
    device_type  the ``type`` of its devices; usually the name
    host_memory  whether the reference's kernels can read and write its memory in place (``host_view``)
    has_addresses  whether blocks of memory have machine addresses (``address``), which prepared kernels take
    speed_rank   the alias ``cpu`` selects the backend with the highest rank among those that ship with gnomon
                 and have host memory
    reads_float32_numbers  whether pointwise kernels of half precision take a number as a float32 operand.  If
                 not, a number that half precision cannot represent makes the call compute in float32
    kernels      operator name -> kernel.  A kernel has the same parameters as the reference's kernel of that
                 operator.  Its arguments are checked and prepared: shapes match, dtypes are equal where the
                 operator requires it, outputs are allocated and are an input or do not overlap it.  It does
                 not raise because of its inputs, except ``BadValue`` (memory/prepared.py) before it has
                 written anything: then the reference runs the call, and raises the operator's error.  It can
                 also be a PreparingKernel (memory/prepared.py)
    capabilities operator name -> names of the dtypes that its kernel supports, None for the twelve of
                 values.dtype.ALL, or a Claim.  An
                 operator that is not listed is not claimed: the fallback policy decides how it runs
    traits       further capabilities: words of TRAITS
    conformance_file  the path of the author's list of known failures and loosened tolerances, which the
                 conformance suite reads; None: there is none
    device_module  the dotted name of the module that becomes ``gn.<device type>``, as torch.cuda is for CUDA
                 devices; "" for none
    """

    contract_version: tuple[int, int] = (1, 0)  # never raised: subclasses that declare none inherit it
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
        """Whether it can run on this machine, and if not, why."""
        return True, ""

    def device_count(self) -> int:
        """The number of devices of this type."""
        return 1

    def allocate(self, nbytes: int, index: int) -> Any:
        """Memory for ``nbytes`` bytes (which may be 0) on device ``index``, freed with the returned object.

        Raises OutOfMemoryError.
        """
        raise NotImplementedError(f"backend {self.name!r}: allocate must be defined")

    def copy_in(self, memory: Any, offset: int, data: memoryview) -> None:
        """Write host bytes into ``memory``, beginning at byte ``offset``."""
        raise NotImplementedError(f"backend {self.name!r}: copy_in must be defined")

    def copy_out(self, memory: Any, offset: int, nbytes: int) -> bytes | bytearray | memoryview:
        """Read ``nbytes`` bytes of ``memory``, beginning at byte ``offset``."""
        raise NotImplementedError(f"backend {self.name!r}: copy_out must be defined")

    def copy_between(self, to: Any, source: Any, nbytes: int) -> None:
        """Copy the first ``nbytes`` bytes of ``source`` to ``to``, each on any device of this type."""
        self.copy_in(to, 0, memoryview(self.copy_out(source, 0, nbytes)))

    def synchronize(self, index: int) -> None:
        """Wait until all work queued on device ``index`` is done; raises errors of earlier kernels."""

    def set_num_threads(self, count: int) -> None:
        """Set how many threads a call with enough work uses, if the backend has threads."""

    def num_threads(self) -> int:
        """How many threads a call with enough work uses."""
        return 1

    def thread_pools(self) -> tuple[str, ...]:
        """Names of the available thread pools, the active one first, if the backend has a choice."""
        return ()

    def memory_stats(self, index: int) -> Mapping[str, int]:
        """Bytes on device ``index``: ``allocated`` (in use), ``cached`` for later requests, and ``peak``, the
        largest ``allocated`` so far.  Empty if the backend does not count.

        If it counts more: ``peak_reserved``, the largest sum of ``allocated`` and ``cached``; the numbers of
        ``requests`` so far, and of ``segments`` that the device's driver has given.
        """
        return {}

    def reset_peak_memory(self, index: int) -> None:
        """Set the peak to what is allocated now."""

    def empty_cache(self) -> None:
        """Free cached memory."""

    def set_memory_limit(self, nbytes: int | None, index: int) -> None:
        """Limit the bytes, allocated and cached, on device ``index``; None removes the limit.

        Raises RuntimeError if the backend has no such limit.
        """
        raise RuntimeError(f"backend {self.name!r} does not support a memory limit")

    def host_view(self, memory: Any, nbytes: int) -> memoryview:
        """The memory itself as a writable memoryview.  Only called if ``host_memory`` is True."""
        raise NotImplementedError(f"backend {self.name!r}: host_view must be defined")

    def address(self, memory: Any) -> int:
        """The address of the first byte, or another number that identifies the block."""
        return id(memory)

    def wrap_host_memory(self, data: memoryview, address: int) -> Any:
        """Memory that uses the bytes of ``data``, at ``address``, without a copy; it keeps ``data`` alive.

        None if the backend cannot use memory that it did not allocate.
        """
        return None

    def allocate_address(self, nbytes: int, index: int) -> float:
        """The address of a new block that a tensor owns without a Storage, as the C speedups create tensors.

        Only for backends with prepared kernels.  Raises OutOfMemoryError.
        """
        raise NotImplementedError(f"backend {self.name!r}: allocate_address must be defined")

    def adopt(self, address: float, nbytes: int) -> Any:
        """Memory for a Storage at an address from ``allocate_address``; it does not own the block yet.

        Only for backends with prepared kernels.
        """
        raise NotImplementedError(f"backend {self.name!r}: adopt must be defined")

    def take_over(self, memory: Any, address: float) -> None:
        """Make ``memory``, which ``adopt`` returned, free the address when it is no longer referenced.

        Called after a Storage has been created with it, so that after an interrupt in between the tensor
        still owns the address.  If this call itself is interrupted, it is repeated.
        """

    # Added in version 1.2.  They are not used of objects that are not subclasses of Backend: ``offers_of``.

    def allocate_entry(self) -> tuple[Callable[[float], float], float] | None:
        """A function from a number of bytes to the address of a new block (0.0 if out of memory), and the
        address of its machine code.  The C speedups allocate by it.  None: there is no such function.
        """
        return None

    def free_entry(self) -> float:
        """The address of the machine code of a function that frees a block, given its address.  0.0: there is
        none, and the function given to ``prepared.register_free`` is called.
        """
        return 0.0

    def record_stream(self, memory: Any, stream: Any) -> None:
        """Note that work in ``stream`` uses ``memory``: freed memory is not reused before that work is done.

        For backends with the trait ``streams``.
        """
        raise NotImplementedError(f"backend {self.name!r}: record_stream must be defined")

    # Added in version 1.3, likewise.

    def pin_memory(self, nbytes: int) -> memoryview | None:
        """Host memory that the device reads and writes without the processor: a writable view of ``nbytes``
        bytes, which keeps the memory.  None: there is no such memory.  Raises OutOfMemoryError.

        ``copy_in`` has read its ``data`` when it returns, also if that is such memory.
        """
        return None

    # Added in version 1.4, likewise: how tensors are exchanged with other libraries (interop/dlpack.py).

    def dlpack_device(self, index: int) -> tuple[int, int] | None:
        """DLPack's type and number of device ``index``; (1, 0) is the processor.  None: other libraries can
        not use its memory.
        """
        return (1, 0) if self.host_memory else None

    def dlpack_stream(self, index: int) -> int | None:
        """The current stream of device ``index`` as DLPack numbers streams: a producer makes its work precede
        what follows in that stream.  None where there are no streams.
        """
        return None

    def dlpack_wait(self, index: int, stream: int | None) -> None:
        """Make later work in a consumer's ``stream`` run after the work in the current stream of device
        ``index``.  By default this waits for all work on the device.
        """
        self.synchronize(index)

    def wrap_device_memory(self, address: int, nbytes: int, index: int, owner: Any) -> Any:
        """Memory of another library at an address of device ``index``, without a copy; it keeps ``owner``
        alive.

        None if the backend cannot use memory that it did not allocate.
        """
        return None

    def kernel_source(self, operator: str) -> str:
        """The source of the kernel of ``operator``: a file and a line, or a symbol of a library."""
        return source_of(self.kernels[operator])


_NOTHING_MORE = Backend()


def offers_of(backend: Any) -> Backend:
    """The object whose members added after version 1.0 of the contract apply to ``backend``.

    It is ``backend`` itself or, if that is not a subclass of Backend, an object with the defaults.
    """
    return backend if isinstance(backend, Backend) else _NOTHING_MORE


def source_of(kernel: Any) -> str:
    """The source of a kernel or another function: a file and a line, or if it is not Python, its name."""
    # functools.wraps sets __wrapped__; a functools.partial has func
    while hasattr(kernel, "__wrapped__") or hasattr(kernel, "func"):
        kernel = getattr(kernel, "__wrapped__", None) or kernel.func
    code = getattr(kernel, "__code__", None) or getattr(type(kernel).__call__, "__code__", None)
    if code is None:  # not written in Python
        module = getattr(kernel, "__module__", None) or type(kernel).__module__
        return f"{module}.{getattr(kernel, '__qualname__', type(kernel).__qualname__)}"
    return place_of(code, code.co_firstlineno)


def place_of(code: CodeType, line: int) -> str:
    """A file and a line: ``ops/linalg/matmul.py:12``, or for other packages ``package/file.py:12``."""
    file = os.path.relpath(
        code.co_filename, os.path.dirname(_package_around(os.path.dirname(code.co_filename)))
    )
    return f"{file.replace(os.sep, '/').removeprefix('gnomon/')}:{line}"


@functools.cache
def _package_around(folder: str) -> str:
    """The folder of the outermost package that contains ``folder``; ``folder`` itself if none does."""
    parent = os.path.dirname(folder)
    return _package_around(parent) if os.path.exists(os.path.join(parent, "__init__.py")) else folder


# ---------------------------------------------------------------------------------------------------------
# Checks of a backend's declarations.

# Methods added after version 1.0, which older objects do not have.
_ADDED = frozenset(
    {
        "allocate_entry",
        "dlpack_device",
        "dlpack_stream",
        "dlpack_wait",
        "free_entry",
        "pin_memory",
        "record_stream",
        "wrap_device_memory",
    }
)
_METHODS = tuple(
    name
    for name, value in vars(Backend).items()
    if callable(value) and not name.startswith("_") and name not in _ADDED
)


def check_declaration(backend: Any) -> None:
    """Check that the declarations of ``backend`` have the types and values that the contract requires.

    Raises TypeError or ValueError that names the attribute, what was expected and what was found.
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
            raise TypeError(f"backend {name!r}: {method} must be a method of the backend, got none")
    unknown = sorted(map(repr, set(expect("traits", (frozenset, set), "a set of str")).difference(TRAITS)))
    if unknown:
        raise ValueError(
            f"backend {name!r}: unknown trait {', '.join(unknown)}; expected {', '.join(TRAITS)}"
        )
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
        if operator not in known:  # known variants may be listed: they run the kernel of their operator
            _check_operator(f"backend {name!r}: capabilities[{operator!r}]", operator, known)
    wanted = ["host_view"] if backend.host_memory else []
    wanted += ["address", "allocate_address", "adopt"] if backend.has_addresses else []
    for method in wanted:
        if getattr(type(backend), method, None) is getattr(Backend, method):
            because = " where host_memory is True" if method == "host_view" else ""
            because = " where has_addresses is True" if "ad" in method else because
            raise TypeError(f"backend {name!r}: {method} must be defined{because}, not inherited")


def version_of(backend: Any) -> tuple[int, int]:
    """The version of the contract that ``backend`` was written for."""
    version: tuple[int, int] = getattr(backend, "contract_version", Backend.contract_version)
    return version


def _check_version(name: str, version: Any) -> None:
    """Raises TypeError if ``version`` is not a version, ValueError if this gnomon does not support it.

    This is checked first, because declarations for another version may seem wrong.
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
            f"backend {name!r}: it was written for version {its} of the contract, but this gnomon has "
            f"version {ours}: install a newer gnomon, or a version of the backend for {ours} ({_VERSIONS})"
        )
    raise ValueError(
        f"backend {name!r}: it was written for version {its} of the contract, but this gnomon has "
        f"version {ours} and supports versions from {oldest} on: adapt the backend and set "
        f"contract_version to {CONTRACT_VERSION} ({_VERSIONS})"
    )


def _check_operator(place: str, operator: str, known: Mapping[str, str]) -> None:
    """Raises ValueError if ``operator`` is unknown, or is a variant, which runs another operator's kernel.

    known: the result of ``late_bound.find_operators``; empty while gnomon itself is being imported.
    """
    if not known or known.get(operator) == operator:
        return
    if operator in known:
        raise ValueError(f"{place} would never run: {operator!r} runs the kernel of {known[operator]!r}")
    import difflib  # needed rarely; importing it here keeps the import of gnomon fast

    near = difflib.get_close_matches(operator, known, n=1)
    hint = f"; did you mean {known[near[0]]!r}?" if near else ""
    raise ValueError(f"{place}: unknown operator{hint}")


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
            f"{place}: unknown dtype {unknown[0]!r}; expected one of {', '.join(names_of_dtypes)}"
        )
