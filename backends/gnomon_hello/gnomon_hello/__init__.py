"""hello: a minimal backend with two kernels, and memory that only it can read.  A template to copy."""

from gnomon import Backend


class Memory:
    """A block of memory.  gnomon only passes it back to the backend; its content is the backend's."""

    def __init__(self, nbytes):
        self._bytes = memoryview(bytearray(nbytes))


def readers_and_writer(iterator):
    """For each input a function that reads the element at an offset; for the output one that writes it."""
    views = [iterator.tensor(i).untyped_storage().memory._bytes for i in range(len(iterator.operands))]
    dtypes = [iterator.tensor(i).dtype for i in range(len(iterator.operands))]
    readers = [dtype.reader(view) for dtype, view in zip(dtypes[1:], views[1:])]
    return readers, dtypes[0].writer(views[0])


def add(iterator, alpha):
    """``out = self + alpha * other``; the operands are already broadcast and have one dtype.  Offsets count
    elements.
    """
    (read_self, read_other), write = readers_and_writer(iterator)
    for out, a, b in zip(iterator.offsets(0), iterator.offsets(1), iterator.offsets(2)):
        write(out, read_self(a) + alpha * read_other(b))


def neg(iterator):
    """``out = -self``."""
    (read,), write = readers_and_writer(iterator)
    for out, a in zip(iterator.offsets(0), iterator.offsets(1)):
        write(out, -read(a))


class Hello(Backend):
    """The backend class, which an entry point in the group ``gnomon.backends`` names."""

    contract_version = (1, 4)
    name = "hello"
    device_type = "hello"
    kernels = {"add.Tensor": add, "neg": neg}  # noqa: RUF012  (the contract's tables are read, never written)
    capabilities = {"add.Tensor": None, "neg": ("int32", "int64", "float32", "float64")}  # noqa: RUF012

    def allocate(self, nbytes, index):
        return Memory(nbytes)

    def copy_in(self, memory, offset, data):
        memory._bytes[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory, offset, nbytes):
        return bytes(memory._bytes[offset : offset + nbytes])
