"""Autograd, function transforms and operators of one's own."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor
from gnomon.library import custom_op

x = gn.ones(2, requires_grad=True)
x.backward(create_graph="yes")  # error: arg-type
gn.autograd.grad(x.sum(), x).sum()  # error: attr-defined
(gradient,) = gn.autograd.grad(x.sum(), x, allow_unused=True)
gradient.sum()  # error: union-attr
x.grad.sum()  # error: union-attr
x.grad_fn.name()  # error: union-attr
x.register_hook(3)  # error: arg-type
with gn.no_grads():  # error: attr-defined
    pass
gn.set_grad_enabled("on")  # error: arg-type
gn.func.grad(3)  # error: call-overload
gn.func.grad(gn.sin)("x")  # error: arg-type
gn.func.grad(gn.sin)(x).foo  # error: attr-defined
gn.func.jacrev(gn.sin)(x, x)  # error: call-arg
gn.func.hessian(gn.sin, argnums="0")  # error: call-overload
gn.func.grad_and_value(gn.sin)(x)[0].foo  # error: attr-defined
gn.func.vjp(gn.sin, x)[1](x)[1]  # error: misc
gn.func.jvp(gn.sin, (x,), (x,))[1].foo  # error: attr-defined
gn.func.functional_call(gn.nn.Linear(2, 2), {}, x).foo  # error: attr-defined
gn.vmap(gn.sin, randomness=1)  # error: arg-type
gn.vmap(gn.sin, in_dims="0")  # error: arg-type
gn.vmap(gn.sin, out_dims="0")  # error: arg-type
gn.vmap(3)  # error: type-var
gn.func.vmap(gn.sin)("x")  # error: arg-type
gn.func.functional_call(gn.nn.Linear(2, 2), 3, x)  # error: arg-type
gn.compile(3)  # error: call-overload
gn.compile(gn.sin)("x")  # error: arg-type
gn.amp.GradScaler().scale(x).foo  # error: attr-defined


@custom_op("typing_errors::twice", mutates_args=())
def twice(x: Tensor) -> Tensor:
    return x + x


twice("x")  # error: arg-type
twice(x, x)  # error: call-arg
name: str = twice(x)  # error: assignment
