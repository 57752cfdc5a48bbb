"""Wrong answers to the exercises of chapters 10 to 13: what is wrong, and the change of the solution."""

WRONG = {
    "double_backward": [
        ("the result of forward without its history", "ctx.save_for_backward(x, result)", "ctx.save_for_backward(x, result.detach())"),
        ("an intermediate result as an attribute",
         "ctx.save_for_backward(x, result)\n        return result\n\n    @staticmethod\n    def backward(ctx: Any, grad: Tensor) -> Tensor:\n        x, result = ctx.saved_tensors",
         "ctx.save_for_backward(x); ctx.result = result.detach()\n        return result\n\n    @staticmethod\n    def backward(ctx: Any, grad: Tensor) -> Tensor:\n        (x,) = ctx.saved_tensors; result = ctx.result"),
        ("detached", "grad * -2 * x * result", "grad * -2 * x.detach() * result"),
        ("the sign", "-2 * x", "2 * x"),
        ("grad is forgotten", "grad * -2", "-2"),
        ("another function", "(-x * x).exp()", "(-x.abs()).exp()"),
        ("grad without its history", "grad * -2", "grad.detach() * -2"),
    ],
    "dual_numbers": [
        ("the product of the tangents", "self.tangent * other.value + self.value * other.tangent", "self.tangent * other.tangent"),
        ("half of the product rule", "self.tangent * other.value + self.value * other.tangent", "self.tangent * other.value"),
        ("numbers have a tangent of 1", "Dual(x, 0.0)", "Dual(x, 1.0)"),
        ("2 - x is x - 2", "dual(other) - self", "self - dual(other)"),
        ("the chain rule is forgotten in exp", "math.exp(x.value) * x.tangent", "math.exp(x.value)"),
        ("the power is not decreased", "self.value ** (exponent - 1)", "self.value ** exponent"),
        ("the sign of the cosine", "math.cos(x.value)", "-math.cos(x.value)"),
        ("the tangent is 1", "Dual(value, tangent)", "Dual(value, 1.0)"),
    ],
    "batching_rules": [
        ("no ones between", "*[1] * (ndim + 1 - x.dim()), ", ""),
        ("sum along the batch", "dim % (x.dim() - 1) + 1", "dim % (x.dim() - 1)"),
        ("negative dimensions of the whole", "dim % (x.dim() - 1) + 1", "dim + 1"),
        ("ignores keepdim", " + 1, keepdim), 0", " + 1), 0"),
        ("batch dimensions are not moved", "y if y_dim is None else y.movedim(y_dim, 0)", "y"),
        ("one dimension is not shifted", "dim1 % ndim + 1", "dim1 % ndim"),
        ("the batch dimension is elsewhere", "return x @ y, 0", "return x @ y, 1"),
    ],
}  # fmt: skip
