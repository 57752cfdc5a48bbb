"""Wrong types in arithmetic, creation and methods of tensors."""

from __future__ import annotations

import gnomon as gn

x = gn.ones(2, 3)
number: int = x.sum()  # error: assignment
text: str = x.dtype  # error: assignment
gn.tensor()  # error: call-arg
gn.zeroes(2)  # error: attr-defined
gn.finfo("float32")  # error: arg-type
gn.iinfo(8)  # error: arg-type
gn.finfo(gn.float32).max.foo  # error: attr-defined
gn.sparse_coo_tensor([[0]], [1.0], "2")  # error: arg-type
gn.sparse_coo_tensor([[0]], 1.0)  # error: arg-type
gn.sparse_coo_tensor(0, [1.0])  # error: arg-type
gn.sparse_compressed_tensor([0, 1], [0], 1.0, layout=gn.sparse_csr)  # error: arg-type
gn.zeros("two")  # error: arg-type
gn.ones(2, dtype="float32")  # error: call-overload
x + "one"  # error: operator
"one" - x  # error: operator
x @ 2  # error: operator
x < "one"  # error: operator
x.reshap(-1)  # error: attr-defined
x.exp(2)  # error: call-arg
x.transpose(0)  # error: call-arg
x.shape = (3, 2)  # error: misc
x.requires_grad_("yes")  # error: arg-type
x.to(3.0)  # error: call-overload
x.size("first")  # error: call-overload
gn.add(x)  # error: call-arg
gn.matmul(x, 2)  # error: arg-type
gn.cat(x, x)  # error: arg-type
gn.set_default_dtype("float32")  # error: arg-type
for row in x:
    row.append(1)  # error: attr-defined
gn.from_numpy([1])  # error: arg-type
gn.einsum(x, "ij")  # error: arg-type
gn.einsum("ij,jk", "x", x)  # error: call-overload
gn.tensordot(x, x, dims="a")  # error: arg-type
gn.meshgrid("a", "b")  # error: arg-type
gn.permute(x, 1, 0)  # error: call-arg
gn.randint(0, 3)  # error: call-overload
gn.split(x, "a")  # error: arg-type
gn.tensor([1], device=3.5)  # error: arg-type
gn.tensor([1], dtype="int64")  # error: arg-type
gn.Generator(3)  # error: arg-type
x.new_tensor([1], dtype="float32")  # error: arg-type
x.cuda(1.5)  # error: arg-type
x.type(3)  # error: call-overload
x.tolist().shape  # error: attr-defined
right: gn.Tensor = 2 * x - x / 3 + (1 - x) ** 2 // 1 % 5
