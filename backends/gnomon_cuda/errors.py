"""What can go wrong between gnomon and a GPU."""

from __future__ import annotations

OUT_OF_MEMORY = 2
NOT_READY = 600
INVALID_VALUE = 1

# After one of these the context is lost: the driver answers every later call in it with the same error, and
# only a new process gets another context.
STICKY = frozenset(
    {
        214,  # a memory error that the hardware could not correct
        700,  # illegal address
        702,  # a kernel ran too long
        710,  # assert in a kernel
        714,  # the hardware's stack
        715,  # illegal instruction
        716,  # misaligned address
        717,  # invalid address space
        718,  # invalid program counter
        719,  # launch failed
    }
)


class CudaError(RuntimeError):
    """A function of the driver answered with an error.

    code  the driver's number
    name  its name, such as ``CUDA_ERROR_ILLEGAL_ADDRESS``
    """

    def __init__(self, text: str, code: int, name: str):
        super().__init__(text)
        self.code = code
        self.name = name

    def __reduce__(self) -> tuple[type[CudaError], tuple[str, int, str]]:
        # exceptions are pickled with their text alone, where they say nothing else
        return CudaError, (str(self), self.code, self.name)


class BlasError(RuntimeError):
    """A function of cuBLAS answered with an error."""


class CompileError(RuntimeError):
    """A text of kernels does not compile.

    log  what the compiler said, with files and lines
    """

    def __init__(self, text: str, log: str):
        super().__init__(text, log)
        self.text = text
        self.log = log

    def __str__(self) -> str:
        return f"{self.text}\n{self.log}" if self.log else self.text
