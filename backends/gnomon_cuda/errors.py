"""The exceptions of the CUDA backend."""

from __future__ import annotations

OUT_OF_MEMORY = 2
NOT_READY = 600
INVALID_VALUE = 1

# After one of these the context is lost: every later call in it fails with the same error, and only a new
# process gets another context.
STICKY = frozenset(
    {
        214,  # uncorrectable memory error
        700,  # illegal address
        702,  # launch timeout
        710,  # assertion in a kernel
        714,  # hardware stack error
        715,  # illegal instruction
        716,  # misaligned address
        717,  # invalid address space
        718,  # invalid program counter
        719,  # launch failed
    }
)


class CudaError(RuntimeError):
    """An error returned by a function of the driver.

    code  the driver's number
    name  its name, such as ``CUDA_ERROR_ILLEGAL_ADDRESS``
    """

    def __init__(self, text: str, code: int, name: str):
        super().__init__(text)
        self.code = code
        self.name = name

    def __reduce__(self) -> tuple[type[CudaError], tuple[str, int, str]]:
        # by default an exception is pickled with its message only
        return CudaError, (str(self), self.code, self.name)


class BlasError(RuntimeError):
    """An error returned by a function of cuBLAS."""


class NcclError(RuntimeError):
    """An error returned by a function of NCCL."""


class CompileError(RuntimeError):
    """Raised if the source of kernels does not compile.

    log  the compiler's messages, with files and lines
    """

    def __init__(self, text: str, log: str):
        super().__init__(text, log)
        self.text = text
        self.log = log

    def __str__(self) -> str:
        return f"{self.text}\n{self.log}" if self.log else self.text
