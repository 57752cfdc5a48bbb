"""``load_inline``: operators whose kernels are functions in C, compiled when the program runs.

Source: torch.utils.cpp_extension.load_inline.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..dispatch.registration import parse_qualified_name
from ..memory.tensor import Tensor
from ..values.dtype import ALL
from ..values.errors import type_name
from ..values.schema import Argument, FunctionSchema

_STRUCT = """
typedef struct {
    void *data;              /* the first element */
    int64_t numel, ndim;
    const int64_t *sizes;
    const int64_t *strides;  /* in elements */
    int32_t dtype;           /* GN_FLOAT32 ... */
} gn_tensor;
"""
_C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int "
    "long main register restrict return short signed sizeof static struct switch typedef union unsigned void "
    "volatile while".split()
)
_TYPES = {"int": "int64_t", "SymInt": "int64_t", "float": "double", "bool": "int", "Scalar": "double"}

# What the compiler's process runs: it writes the wrapper in C and compiles both.
_BUILD = """
import json, sys
import cffi
given = json.load(sys.stdin)
ffi = cffi.FFI()
ffi.cdef(given["declarations"])
ffi.set_source(given["module"], given["source"], extra_compile_args=given["flags"])
print("gnomon built", ffi.compile(tmpdir=given["folder"]))
"""


def load_inline(
    c_source: str,
    schema: str | Sequence[str],
    *,
    meta: Callable[..., Any] | None = None,
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., Any] | None = None,
    extra_cflags: Sequence[str] = (),
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
) -> Any:
    """Compile functions in C, and make an operator of each: a gnomon.library.CustomOpDef.

    c_source         C11, with one function for each schema, of the operator's name.  ``c_prototype(schema)``
                     is its declaration: a tensor comes as a ``const gn_tensor *``, one that is written to and
                     each result as a ``gn_tensor *``, int as int64_t, float and Scalar as double, bool as
                     int.  It returns NULL, or a text that becomes a RuntimeError
    schema           such as ``"mine::scaled(Tensor x, float factor) -> Tensor"``, or several
    meta             makes the results: called with the arguments, it returns an empty tensor for each; with
                     tensors on the meta device, too.  None: ``empty_like`` of the first tensor
    backward, setup_context
                     the derivative, as for ``CustomOpDef.register_autograd``; None: there is none
    extra_cflags     further arguments of the compiler
    build_directory  an existing folder that keeps the compiled library for later runs, which load it if
                     nothing has changed; None: a temporary one
    verbose          print what the compiler says

    The kernels run for every backend whose memory is the host's, and get tensors with any strides; Python's
    lock is released meanwhile.  ``meta``, ``backward`` and ``setup_context`` need a single schema.  Raises
    ValueError for a schema with types or a name that a function in C can not have, TypeError for arguments of
    other types, and RuntimeError with the compiler's messages if it refuses the source, or if there is no
    compiler.  Source: torch.utils.cpp_extension.load_inline.
    """
    if not isinstance(c_source, str):
        raise TypeError(f"load_inline: argument 'c_source' must be str, got {type_name(c_source)}")
    for name, given in (("meta", meta), ("backward", backward), ("setup_context", setup_context)):
        if given is not None and not callable(given):
            raise TypeError(f"load_inline: argument {name!r} must be a function, got {type_name(given)}")
    texts = [schema] if isinstance(schema, str) else list(schema)
    if len(texts) != 1 and (meta is not None or backward is not None or setup_context is not None):
        raise ValueError("load_inline: meta, backward and setup_context need a single schema")
    schemas = [_parsed(text) for text in texts]
    prototypes = [_prototype(parsed) for _, parsed in schemas]
    module = _built(c_source, prototypes, list(extra_cflags), build_directory, verbose)
    made = [_operator(module, namespace, parsed, meta) for namespace, parsed in schemas]
    if backward is not None:
        made[0].register_autograd(backward, setup_context=setup_context)
    return made[0] if isinstance(schema, str) else made


def c_prototype(schema: str) -> str:
    """The declaration of the function in C that ``load_inline`` calls for ``schema``.

    Raises ValueError for a type that it does not pass.
    """
    return _prototype(_parsed(schema)[1])


def _parsed(text: str) -> tuple[str, FunctionSchema]:
    head, parenthesis, rest = text.partition("(")
    namespace, name = parse_qualified_name(head.strip())
    parsed = FunctionSchema(f"{name}{parenthesis}{rest}")
    if parsed.overload_name:
        raise ValueError(f"load_inline: {head.strip()}: the name of a function in C has no overload")
    if not name.isascii() or not name.isidentifier() or name in _C_WORDS:
        raise ValueError(f"load_inline: {head.strip()}: {name!r} can not be the name of a function in C")
    return namespace, parsed


def _prototype(schema: FunctionSchema) -> str:
    parameters = [_parameter(schema.name, argument) for argument in schema.arguments]
    for number, result in enumerate(schema.returns):
        if result.type != "Tensor" or result.is_list or result.alias is not None:
            raise ValueError(
                f"load_inline: {schema.name}: each result must be a new Tensor, got {result.type}"
            )
        parameters.append(f"gn_tensor *{result.name or f'result{number}'}")
    return f"const char *{schema.name}({', '.join(parameters)});"


def _parameter(name: str, argument: Argument) -> str:
    if argument.is_list or argument.is_optional or not (argument.is_tensor or argument.type in _TYPES):
        raise ValueError(
            f"load_inline: {name}: argument {argument.name!r}: expected Tensor, int, float, bool or Scalar, "
            f"got {argument.type_text}"
        )
    if argument.is_tensor:
        return f"{'' if argument.is_written else 'const '}gn_tensor *{argument.name}"
    return f"{_TYPES[argument.type]} {argument.name}"


def _operator(module: Any, namespace: str, schema: FunctionSchema, meta: Callable[..., Any] | None) -> Any:
    """The operator of one function."""
    from ..library import custom_op

    ffi, function = module.ffi, getattr(module.lib, schema.name)
    tensors = [argument for argument in schema.arguments if argument.is_tensor]
    if meta is None and schema.returns and not tensors:
        raise ValueError(f"load_inline: {schema.name}: no tensor is like its results: give meta")
    written = [argument.name for argument in tensors if argument.is_written]

    def results_of(*arguments: Any) -> Any:
        if meta is not None:
            return meta(*arguments)
        first = next(each for each in arguments if isinstance(each, Tensor))
        made = tuple([first.new_empty(first.shape) for _ in schema.returns])
        return made[0] if len(made) == 1 else made or None

    def completed(given: Sequence[Any], keywords: dict[str, Any]) -> Sequence[Any]:
        return operator._opoverload.complete(given, keywords)  # a default is not passed

    def fake(*given: Any, **keywords: Any) -> Any:
        return results_of(*completed(given, keywords))

    def kernel(*given: Any, **keywords: Any) -> Any:
        arguments = completed(given, keywords)
        results = results_of(*arguments)
        listed = list(results) if isinstance(results, (tuple, list)) else [] if results is None else [results]
        for each in listed:
            if not isinstance(each, Tensor):
                raise TypeError(f"{schema.name}: meta must return Tensor, got {type_name(each)}")
        if len(listed) != len(schema.returns):
            found, expected = len(listed), len(schema.returns)
            raise RuntimeError(f"{schema.name}: meta returned {found} tensors, but the schema has {expected}")
        kept: list[Any] = []
        said = function(*[_passed(ffi, each, kept) for each in (*arguments, *listed)])
        if said != ffi.NULL:
            raise RuntimeError(f"{schema.name}: {ffi.string(said).decode(errors='replace')}")
        return results

    text = str(schema).removeprefix(schema.name)
    operator = custom_op(
        f"{namespace}::{schema.name}", kernel, mutates_args=written, schema=text, device_types="cpu"
    )
    if schema.returns:
        operator.register_fake(fake)
    return operator


def _passed(ffi: Any, value: Any, kept: list[Any]) -> Any:
    """A value for a function in C; what must live until it returns is added to ``kept``."""
    if not isinstance(value, Tensor):
        return value
    spec = value._spec
    sizes, strides = (ffi.new("int64_t[]", list(each) or [0]) for each in (spec.sizes, spec.strides))
    kept += [sizes, strides, value]
    start = value.untyped_storage().address()
    data = ffi.cast("void *", start + value.storage_offset() * spec.dtype.itemsize if start else 0)
    made = ffi.new("gn_tensor *", [data, spec.numel, spec.ndim, sizes, strides, spec.dtype.code])
    kept.append(made)
    return made


# -- the compiler --------------------------------------------------------------------------------------------


def _built(
    source: str,
    prototypes: Sequence[str],
    flags: list[str],
    folder: str | os.PathLike[str] | None,
    verbose: bool,
) -> Any:
    """The module that cffi makes of the source."""
    import cffi

    dtypes = "\n".join(f"#define GN_{each.name.upper()} {each.code}" for each in ALL)
    declarations = "\n".join([_STRUCT, *prototypes])
    header = f'#include <stdint.h>\n{dtypes}\n{declarations}\n#line 1 "c_source"\n'
    facts = [source, header, flags, cffi.__version__, sys.version, platform.machine()]
    module = f"gnomon_inline_{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]}"
    if folder is None:
        place = Path(tempfile.mkdtemp(prefix="gnomon_inline_"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    else:
        place = Path(folder)
        if not place.is_dir():
            raise FileNotFoundError(f"load_inline: build_directory: no such folder: {place}")
    library = place / f"{module}.so"
    task = {
        "declarations": declarations,
        "module": module,
        "source": f"{header}{source}\n",
        "flags": ["-O3", "-std=gnu11", *flags],
    }
    if library.is_file():
        with contextlib.suppress(ImportError):  # a damaged file is built again
            return _loaded(module, library)
    _compile(task, library, verbose)
    try:
        return _loaded(module, library)
    except ImportError as error:
        library.unlink()
        expected = "\n".join(prototypes)
        raise RuntimeError(
            f"load_inline: the compiled library can not be loaded: {error}\n"
            f"expected in the source:\n{expected}"
        ) from None


def _loaded(module: str, library: Path) -> Any:
    spec = importlib.util.spec_from_file_location(module, library)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def _compile(task: dict[str, Any], library: Path, verbose: bool) -> None:
    """Write the library, whole or not at all."""
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        done = subprocess.run(
            [sys.executable, "-c", _BUILD],
            input=json.dumps({**task, "folder": folder}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if verbose:
            print(done.stdout)
        _, marker, built = done.stdout.rpartition("gnomon built ")
        if done.returncode or not marker:
            said, _, trace = done.stdout.partition("Traceback (most recent call last):")
            reason = said.strip() or (trace.strip().splitlines() or ["the compiler said nothing"])[-1]
            raise RuntimeError(f"load_inline: the source was not compiled:\n{reason}")
        os.replace(built.strip(), library)
