"""A program that chooses by the texts of dtypes, shapes and tensor types."""

import pickle

import torch

x = torch.arange(6.0).reshape(2, 3)
print(x.dtype, x.type(), repr(x.shape), x.layout, f"{x.dtype} {x.shape}", [x.dtype, x.device])
print(str(x.dtype) == "torch.float32", getattr(torch, str(x.dtype).split(".")[1]) is x.dtype)
print(x.dtype.__reduce__(), eval(str(x.dtype)) is x.dtype, f"{x.dtype}".replace("torch.", ""))
for kind in (torch.bool, torch.uint8, torch.long, torch.half, torch.bfloat16, torch.cfloat):
    print(repr(kind), torch.zeros(1, dtype=kind).type())
print(torch.contiguous_format, torch.channels_last, torch.preserve_format, torch.per_tensor_affine)
print(torch.strided, torch.sparse_coo, torch.sparse_csr, {torch.int8: 1}, (torch.complex128,))
print(torch.finfo(torch.bfloat16), torch.iinfo(torch.int64), torch.get_default_dtype())
print(
    x.type("torch.DoubleTensor").dtype, x.double().type() == "torch.DoubleTensor", x.type(torch.long).type()
)
print(isinstance(x, torch.FloatTensor), isinstance(x, (torch.LongTensor, torch.DoubleTensor)))
print(torch.promote_types(torch.int32, torch.float16), torch.result_type(x, 1.0))
print(torch.typename(x), torch.typename(x.long()), torch.typename(x.dtype), torch.typename(torch.nn.ReLU()))
for value in (torch.float16, torch.Size([1, 2]), torch.device("cpu")):
    print(repr(pickle.loads(pickle.dumps(value))))
print(pickle.dumps(torch.float32))
every = (getattr(torch, name) for name in dir(torch))
NAMES = {str(each): each for each in every if isinstance(each, torch.dtype)}
print(NAMES["torch.bfloat16"], "torch.float" in NAMES)
print(torch.max(x, 0), type(torch.sort(x)), type(torch.linalg.svd(x)))
