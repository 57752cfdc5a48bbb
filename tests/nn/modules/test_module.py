"""Module: hooks, state dicts, registration, conversion and texts.

Each program runs on gnomon and records what happens; the expected records are PyTorch's, which a test that is
marked ``oracle`` checks by running the same programs on PyTorch.
"""

import copy
import pickle

import pytest

import gnomon as gn
from nn_programs import Programs

PROGRAMS = Programs()


def double(lib, nn):
    class Double(nn.Module):
        def forward(self, x, offset=0):
            return x * 2 + offset

    return Double()


@PROGRAMS.add(
    [
        "pre 1 [[10.0, 10.0]]",
        "pre 1 [[10.0, 10.0]]",
        "[122.0, 122.0] [123.0, 123.0]",
        "pre 1 [[10.0, 10.0]]",
        "first [['offset', 100]] [122.0, 122.0]",
        "post [[11.0, 11.0]] [122.0, 122.0]",
        "[-122.0, -122.0]",
        "pre 1 [[10.0, 10.0]]",
        ("RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 3."),
        "pre 1 [[10.0, 10.0]]",
        "first [['offset', 100]] [122.0, 122.0]",
        "post [[11.0, 11.0]] [122.0, 122.0]",
        "replaced",
        "pre 1 [[10.0, 10.0]]",
        "first [['offset', 100]] [122.0, 122.0]",
        "post [[11.0, 11.0]] [122.0, 122.0]",
        "[-122.0, -122.0]",
    ]
)
def forward_hooks(lib, nn, note, attempt):
    net = double(lib, nn)
    ones = lib.ones(2)
    net.register_forward_pre_hook(lambda module, args: note("pre 1", args))
    net.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    net.register_forward_pre_hook(lambda module, args: args[0] * 10, prepend=True)
    net.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"offset": kwargs.get("offset", 0) + 100}), with_kwargs=True
    )
    note(net(ones), net(ones, offset=1))
    net.register_forward_hook(lambda module, args, output: note("post", args, output))
    net.register_forward_hook(lambda module, args, output: -output)
    net.register_forward_hook(
        lambda module, args, kwargs, output: note("first", sorted(kwargs.items()), output),
        with_kwargs=True,
        prepend=True,
    )
    note(net(ones))
    handle = net.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    attempt(lambda: net(ones))
    handle.remove()
    handle.remove()
    with net.register_forward_hook(lambda module, args, output: "replaced"):
        note(net(ones))
    note(net(ones))


@PROGRAMS.add(
    [
        "always [[1.0]] None",
        "kwargs {}",
        "ValueError: no forward",
        "once",
        "RuntimeError: hook failed",
        (
            "UserWarning: module forward hook with ``always_call=True`` raised an exception that was "
            "silenced as another error was raised in forward: hook failed"
        ),
    ]
)
def always_called_hooks(lib, nn, note, attempt):
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no forward")

    net = Fails()
    net.register_forward_hook(lambda *args: note("never"))
    net.register_forward_hook(lambda module, args, output: note("always", args, output), always_call=True)
    net.register_forward_hook(
        lambda module, args, kwargs, output: note("kwargs", kwargs), always_call=True, with_kwargs=True
    )

    def broken(*args):
        raise RuntimeError("hook failed")

    net.register_forward_hook(broken, always_call=True)
    attempt(lambda: net(lib.ones(1)))
    other = double(lib, nn)
    other.register_forward_hook(lambda *args: note("once"), always_call=True)
    other.register_forward_hook(broken)
    attempt(lambda: other(lib.ones(1)))


@PROGRAMS.add(
    [
        "pre Sequential",
        "pre Double",
        "post Double [2.0, 2.0]",
        "post {}",
        "post Sequential [2.0, 2.0]",
        "post {}",
        "backward pre Sequential [[1.0, 1.0]]",
        "backward pre Double [[1.0, 1.0]]",
        "backward Double [[2.0, 2.0]] [[1.0, 1.0]]",
        "backward Sequential [[2.0, 2.0]] [[1.0, 1.0]]",
        "parameter weight [2]",
        "parameter weight [1, 1]",
        "module Module child Linear",
        "module Module other NoneType",
        "[1.0]",
        (
            "RuntimeError: Cannot use both regular backward hooks and full backward hooks as a global "
            "Module hook. Please use only one of them."
        ),
        "[2.0]",
    ]
)
def global_hooks(lib, nn, note, attempt):
    net = nn.Sequential(double(lib, nn))
    handles = [
        nn.modules.module.register_module_forward_pre_hook(
            lambda module, args: note("pre", type(module).__name__)
        ),
        nn.modules.module.register_module_forward_hook(
            lambda module, args, output: note("post", type(module).__name__, output)
        ),
        nn.modules.module.register_module_forward_hook(
            lambda module, args, kwargs, output: note("post", kwargs), with_kwargs=True
        ),
        nn.modules.module.register_module_full_backward_pre_hook(
            lambda module, grads: note("backward pre", type(module).__name__, grads)
        ),
        nn.modules.module.register_module_full_backward_hook(
            lambda module, inputs, grads: note("backward", type(module).__name__, inputs, grads)
        ),
        nn.modules.module.register_module_module_registration_hook(
            lambda module, name, child: note("module", type(module).__name__, name, type(child).__name__)
        ),
        nn.modules.module.register_module_parameter_registration_hook(
            lambda module, name, parameter: note("parameter", name, tuple(parameter.shape))
        ),
        nn.modules.module.register_module_buffer_registration_hook(
            lambda module, name, buffer: buffer + 1 if name == "steps" else None
        ),
    ]
    x = lib.ones(2, requires_grad=True)
    net(x).sum().backward()
    holder = nn.Module()
    holder.weight = nn.Parameter(lib.ones(2))
    holder.register_parameter("none", None)
    holder.child = nn.Linear(1, 1, bias=False)
    holder.add_module("other", None)
    holder.register_buffer("steps", lib.zeros(1))
    note(holder.steps)
    attempt(lambda: nn.modules.module.register_module_backward_hook(lambda *args: None))
    for handle in handles:
        handle.remove()
    note(net(lib.ones(1)))
    nn.modules.module._global_is_full_backward_hook = None


@PROGRAMS.add(
    [
        "first pre",
        "pre [[1.0, 1.0]]",
        "first",
        "hook [[20.0, 20.0]] [[10.0, 10.0]]",
        "[21.0, 21.0]",
        "first pre",
        "pre [[1.0, 1.0]]",
        "first",
        "hook [[20.0, 20.0]] [[10.0, 10.0]]",
        "RuntimeError: Backward hook returned an invalid number of grad_input, got 0, but expected 1",
        "first pre",
        "pre [[1.0, 1.0]]",
        ("RuntimeError: Backward pre hook returned an invalid number of grad_output, got 0, but expected 1"),
        "[2.0, 2.0]",
        (
            "RuntimeError: Cannot use both regular backward hooks and full backward hooks on a single "
            "Module. Please use only one of them."
        ),
    ]
)
def full_backward_hooks(lib, nn, note, attempt):
    net = double(lib, nn)
    x = lib.ones(2, requires_grad=True)
    net.register_full_backward_hook(lambda module, inputs, outputs: note("hook", inputs, outputs))
    net.register_full_backward_pre_hook(lambda module, outputs: note("pre", outputs))
    net.register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 10,))
    net.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] + 1,))
    net.register_full_backward_hook(lambda *args: note("first"), prepend=True)
    net.register_full_backward_pre_hook(lambda *args: note("first pre"), prepend=True)
    net(x, offset=1).sum().backward()
    note(x.grad)
    wrong = net.register_full_backward_hook(lambda module, inputs, outputs: ())
    attempt(lambda: net(x).sum().backward())
    wrong.remove()
    wrong = net.register_full_backward_pre_hook(lambda module, outputs: ())
    attempt(lambda: net(x).sum().backward())
    wrong.remove()
    with lib.no_grad():
        note(net(x))
    attempt(lambda: net.register_backward_hook(lambda *args: None))


@PROGRAMS.add(
    [
        "[None] [[1.0]]",
        "[None] [[1.0]]",
        (
            "RuntimeError: Backward hook for Modules where no input requires gradient should always "
            "return None or None for all gradients."
        ),
        (
            "UserWarning: Full backward hook is firing when gradients are computed with respect to "
            "module outputs since no inputs require gradients. See URL for more details."
        ),
        (
            "UserWarning: Full backward hook is firing when gradients are computed with respect to "
            "module outputs since no inputs require gradients. See URL for more details."
        ),
    ]
)
def backward_hooks_without_inputs_that_require_grad(lib, nn, note, attempt):
    net = nn.Linear(2, 1, bias=False)
    net.register_full_backward_hook(lambda module, inputs, outputs: note(inputs, outputs))
    net(lib.ones(2)).backward()
    net.register_full_backward_hook(lambda module, inputs, outputs: (lib.ones(2),))
    attempt(lambda: net(lib.ones(2)).backward())


@PROGRAMS.add(
    [
        "[None, [7.0], [0.0]] [[2.0], None, [1.0]]",
        "[7.0]",
        "[None, [3.0], [0.0]] [[1.0], None, None]",
        "returned ['x']",
        (
            "UserWarning: For backward hooks to be called, module output should be a Tensor or a tuple "
            "of Tensors but received <class 'dict'>"
        ),
    ]
)
def backward_hooks_of_several_tensors(lib, nn, note, attempt):
    class Two(nn.Module):
        def forward(self, text, x, y):
            return x * y, text, x + 1

    net = Two()
    net.register_full_backward_hook(lambda module, inputs, outputs: note(inputs, outputs))
    x, y = lib.ones(1, requires_grad=True), lib.full((1,), 3.0)
    product, _, total = net("text", x, y)
    (product * 2 + total).backward()
    note(x.grad)
    product, _, total = net("text", x, y)
    product.backward()

    class AsDict(nn.Module):
        def forward(self, x):
            return {"x": x}

    other = AsDict()
    other.register_full_backward_pre_hook(lambda *args: None)
    attempt(lambda: sorted(other(x)))


@PROGRAMS.add(
    [
        "Tanh [[1.0, 1.0]] [[1.0, 1.0]]",
        (
            "RuntimeError: Cannot use both regular backward hooks and full backward hooks on a single "
            "Module. Please use only one of them."
        ),
        (
            "FutureWarning: Using non-full backward hooks on a Module that does not take as input a "
            "single Tensor or a tuple of Tensors is deprecated and will be removed in future versions. "
            "This hook will be missing some of the grad_input. Please use register_full_backward_hook "
            "to get the documented behavior."
        ),
        (
            "FutureWarning: Using non-full backward hooks on a Module that does not return a single "
            "Tensor or a tuple of Tensors is deprecated and will be removed in future versions. This "
            "hook will be missing some of the grad_output. Please use register_full_backward_hook to "
            "get the documented behavior."
        ),
    ]
)
def legacy_backward_hooks(lib, nn, note, attempt):
    net = nn.Tanh()
    net.register_backward_hook(lambda module, inputs, outputs: note(type(module).__name__, inputs, outputs))
    x = lib.zeros(2, requires_grad=True)
    net(x * 1).sum().backward()
    attempt(lambda: net.register_full_backward_hook(lambda *args: None))
    several = double(lib, nn)
    several.register_backward_hook(lambda module, inputs, outputs: None)
    several(x, 1).sum().backward()

    class Nested(nn.Module):
        def forward(self, x):
            return [x * 2, (x * 3, x)]

    nested = Nested()
    nested.register_backward_hook(lambda module, inputs, outputs: None)
    nested(x)


class Counter:
    """Makes a module with parameters, two kinds of buffers, extra state and a child."""

    @staticmethod
    def of(lib, nn):
        class Net(nn.Module):
            _version = 3

            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(lib.ones(2))
                self.register_parameter("unused", None)
                self.register_buffer("count", lib.zeros(()))
                self.register_buffer("scratch", lib.zeros(1), persistent=False)
                self.steps = 5
                self.child = nn.Linear(2, 1)
                with lib.no_grad():
                    self.child.weight.fill_(0.5)
                    self.child.bias.fill_(0.25)

            def get_extra_state(self):
                return {"steps": self.steps}

            def set_extra_state(self, state):
                self.steps = state["steps"]

        return Net()


@PROGRAMS.add(
    [
        "OrderedDict ['weight', 'count', '_extra_state', 'child.weight', 'child.bias']",
        "[1.0, 1.0] {'steps': 5} False",
        "{'': {'version': 3}, 'child': {'version': 1}}",
        (
            "['model.weight', 'model.count', 'model._extra_state', 'model.child.weight', "
            "'model.child.bias'] True"
        ),
        "True 5",
        "['old.weight', 'old.count', 'old._extra_state', 'old.child.weight', 'old.child.bias']",
        "<All keys matched successfully> [7.0, 7.0] 4.0 9",
        "['count', '_extra_state'] ['z.z', 'child.x', 'child.weight.y']",
        "[['count', '_extra_state'], ['z.z', 'child.x', 'child.weight.y']]",
        (
            "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"count", "_extra_state". \n\tUnexpected key(s) in state_dict: "z.z", "unused", "child.x", '
            '"child.weight.y". \n\tWhile copying the parameter named "weight", expected gnomon.Tensor '
            "or Tensor-like object from checkpoint but received <class 'str'>\n\tsize mismatch for "
            "child.bias: copying a param with shape gnomon.Size([3]) from checkpoint, the shape in "
            "current model is gnomon.Size([1])."
        ),
        "TypeError: Expected state_dict to be dict-like, got <class 'list'>.",
        (
            "RuntimeError: Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: "
            '"bias". \n\tUnexpected key(s) in state_dict: "_extra_state". '
        ),
        "RuntimeError: Reached a code path in Module.get_extra_state() that should never be called.",
        (
            "FutureWarning: Positional args are being deprecated, use kwargs instead. Refer to URL for "
            "details."
        ),
    ]
)
def state_dicts(lib, nn, note, attempt):
    net = Counter.of(lib, nn)
    state = net.state_dict()
    note(type(state).__name__, list(state))
    note(state["weight"], state["_extra_state"], state["weight"].requires_grad)
    note({key: dict(value) for key, value in state._metadata.items()})
    note(list(net.state_dict(prefix="model.")), net.state_dict(keep_vars=True)["weight"] is net.weight)
    destination = {}
    note(net.state_dict(destination=destination) is destination, len(destination))
    note(list(net.state_dict({}, "old.")))
    other = Counter.of(lib, nn)
    state["weight"] = lib.full((2,), 7.0)
    state["count"] = lib.full((1,), 4.0)
    state["_extra_state"] = {"steps": 9}
    note(repr(other.load_state_dict(state)), other.weight, other.count, other.steps)
    del state["_extra_state"], state["count"]
    state["child.x"] = state["child.weight.y"] = state["z.z"] = lib.ones(1)
    result = other.load_state_dict(state, strict=False)
    note(result.missing_keys, result.unexpected_keys)
    note(result)
    state["child.bias"] = lib.ones(3)
    state["weight"] = "text"
    state["unused"] = lib.ones(1)
    attempt(lambda: other.load_state_dict(state))
    attempt(lambda: other.load_state_dict([]))
    attempt(lambda: nn.Linear(1, 1).load_state_dict({"weight": lib.ones(1, 1), "_extra_state": 1}))
    attempt(lambda: nn.Module().get_extra_state())


@PROGRAMS.add(
    [
        "True True gnomon.float64 False",
        "True",
        "meta",
        "[[1.0, 1.0]]",
        (
            "UserWarning: for weight: copying from a non-meta parameter in the checkpoint to a meta "
            "parameter in the current model, which is a no-op. (Did you mean to pass `assign=True` to "
            "assign items in the state dictionary to their corresponding key in the module instead of "
            "copying them in place?)"
        ),
        (
            "UserWarning: for bias: copying from a non-meta parameter in the checkpoint to a meta "
            "parameter in the current model, which is a no-op. (Did you mean to pass `assign=True` to "
            "assign items in the state dictionary to their corresponding key in the module instead of "
            "copying them in place?)"
        ),
    ]
)
def loading_assigns(lib, nn, note, attempt):
    net = nn.Linear(2, 1)
    net.bias.requires_grad_(False)
    weight, bias = nn.Parameter(lib.ones(1, 2, dtype=lib.float64), requires_grad=False), lib.zeros(1)
    net.load_state_dict({"weight": weight, "bias": bias}, assign=True)
    note(net.weight is weight, weight.requires_grad, net.weight.dtype, net.bias.requires_grad)
    note(isinstance(net.bias, nn.Parameter))
    with lib.device("meta"):
        empty = nn.Linear(2, 1)
    empty.load_state_dict({"weight": lib.ones(1, 2), "bias": lib.ones(1)})
    note(empty.weight.device.type)
    empty.load_state_dict({"weight": lib.ones(1, 2), "bias": lib.ones(1)}, assign=True)
    note(empty.weight)


@PROGRAMS.add(
    [
        "pre 0. False",
        "pre 0. False",
        "{'0.weight': tensor([[1.]]), '0.new': 1} {'version': 1}",
        (
            "RuntimeError: Cannot register the same function as the state dict post hook that was "
            "previously registered via register_state_dict_post_hook"
        ),
        "pre 0. False",
        "RuntimeError: state_dict post-hook must return None",
        "pre 0. False",
        "{'replaced': 1}",
        "load pre Linear 0. {} True [] [] []",
        "0. 5",
        "[[], []] [[3.0]]",
        "load post Linear [['weight', 'bias'], []]",
        "[[], []]",
        "load post Linear [['weight', 'bias'], []]",
        (
            "AssertionError: Hooks registered with ``register_load_state_dict_post_hook`` are not "
            "expected to return new values, if incompatible_keys need to be modified, it should be "
            "done inplace."
        ),
    ]
)
def state_dict_hooks(lib, nn, note, attempt):
    net = nn.Sequential(nn.Linear(1, 1, bias=False))
    with lib.no_grad():
        net[0].weight.fill_(1.0)
    net[0].register_state_dict_pre_hook(lambda module, prefix, keep_vars: note("pre", prefix, keep_vars))
    post = lambda module, state, prefix, metadata: state.update({prefix + "new": 1})  # noqa: E731
    handle = net[0].register_state_dict_post_hook(post)
    note(dict(net.state_dict()), net.state_dict()._metadata[""])
    attempt(lambda: net._register_state_dict_hook(post))
    handle.remove()
    wrong = net[0].register_state_dict_post_hook(lambda *args: 1)
    attempt(lambda: net.state_dict())
    wrong.remove()
    net._register_state_dict_hook(lambda module, state, prefix, metadata: {"replaced": 1})
    note(net.state_dict())

    target = nn.Sequential(nn.Linear(1, 1, bias=False))

    def rename(module, state, prefix, metadata, strict, missing, unexpected, errors):
        note("load pre", type(module).__name__, prefix, metadata, strict, missing, unexpected, errors)
        state[prefix + "weight"] = state.pop(prefix + "old")

    target[0].register_load_state_dict_pre_hook(rename)
    target[0]._register_load_state_dict_pre_hook(lambda state, prefix, *others: note(prefix, len(others)))
    note(target.load_state_dict({"0.old": lib.full((1, 1), 3.0)}), target[0].weight)

    def forgive(module, keys):
        note("load post", type(module).__name__, keys)
        keys.missing_keys.clear()

    lenient = nn.Linear(1, 1)
    lenient.register_load_state_dict_post_hook(forgive)
    note(lenient.load_state_dict({}))
    lenient.register_load_state_dict_post_hook(lambda module, keys: 1)
    attempt(lambda: lenient.load_state_dict({}))


@PROGRAMS.add(
    [
        (
            "TypeError: cannot assign 'gnomon.FloatTensor' as parameter 'weight' (gnomon.nn.Parameter "
            "or None expected)"
        ),
        "TypeError: cannot assign 'int' as parameter 'weight' (gnomon.nn.Parameter or None expected)",
        "TypeError: cannot assign 'int' as child module 'child' (gnomon.nn.Module or None expected)",
        (
            "TypeError: cannot assign 'gnomon.FloatTensor' as child module 'child' (gnomon.nn.Module "
            "or None expected)"
        ),
        (
            "TypeError: cannot assign 'list' as buffer 'count' (gnomon.nn.Buffer, gnomon.Tensor or "
            "None expected)"
        ),
        "returned None",
        "['child', 'count']",
        "KeyError: 'parameter name can\\'t contain \".\"'",
        "KeyError: 'buffer name can\\'t contain \".\"'",
        "KeyError: 'module name can\\'t contain \".\", got: a.b'",
        "KeyError: 'parameter name can\\'t be empty string \"\"'",
        "KeyError: 'buffer name can\\'t be empty string \"\"'",
        "KeyError: 'module name can\\'t be empty string \"\"'",
        "KeyError: \"attribute 'training' already exists\"",
        "KeyError: \"attribute 'training' already exists\"",
        "KeyError: \"attribute 'training' already exists\"",
        "TypeError: parameter name should be a string. Got int",
        "TypeError: buffer name should be a string. Got int",
        "TypeError: module name should be a string. Got int",
        (
            "TypeError: cannot assign 'gnomon.FloatTensor' object to parameter 'w' "
            "(gnomon.nn.Parameter or None required)"
        ),
        ("TypeError: cannot assign 'object' object to parameter 'w' (gnomon.nn.Parameter or None required)"),
        "TypeError: cannot assign 'int' object to buffer 'w' (gnomon Tensor or None required)",
        "TypeError: gnomon.FloatTensor is not a Module subclass",
        (
            "TypeError: cannot assign 'gnomon.FloatTensor' object to parameter 'w' "
            "(gnomon.nn.Parameter or None required)"
        ),
        "AttributeError: 'Net' object has no attribute 'nothing'",
        "AttributeError: 'Net' object has no attribute 'nothing'",
        "[] set() ['weight'] ['count']",
        "['buffer', 'kept'] ['buffer']",
        "True False True",
        "['buffer'] ['buffer', 'kept']",
        "[] ['weight', 'buffer']",
        "AttributeError: cannot assign parameters before Module.__init__() call",
        "AttributeError: cannot assign module before Module.__init__() call",
        "AttributeError: cannot assign buffer before Module.__init__() call",
        "AttributeError: cannot assign parameter before Module.__init__() call",
        "TypeError: Module.__init__() takes 1 positional argument but 2 were given",
        "TypeError: Module.__init__() got an unexpected keyword argument 'a'",
        'NotImplementedError: Module [Module] is missing the required "forward" function',
    ]
)
def registration(lib, nn, note, attempt):
    net = Counter.of(lib, nn)
    for name, value in (
        ("weight", lib.ones(1)),
        ("weight", 3),
        ("child", 3),
        ("child", lib.ones(1)),
        ("count", [1]),
        ("count", net),
    ):
        attempt(lambda name=name, value=value: setattr(net, name, value))
    note([name for name, _ in net.named_children()])
    for name in ("a.b", "", "training", 3):
        attempt(lambda name=name: net.register_parameter(name, None))
        attempt(lambda name=name: net.register_buffer(name, None))
        attempt(lambda name=name: net.add_module(name, None))
    attempt(lambda: net.register_parameter("w", lib.ones(1)))
    attempt(lambda: net.register_parameter("w", object()))
    attempt(lambda: net.register_buffer("w", 3))
    attempt(lambda: net.add_module("w", lib.ones(1)))
    result = nn.Parameter(lib.ones(1))
    attempt(lambda: net.register_parameter("w", lib.nn.Parameter(lib.ones(1)) and result.sum()))
    attempt(lambda: net.nothing)
    attempt(lambda: delattr(net, "nothing"))
    del net.scratch, net.unused, net.child
    note(list(net._buffers), net._non_persistent_buffers_set, list(net._parameters), list(net._modules))
    net.buffer = nn.Buffer(lib.ones(1), persistent=False)
    net.kept = nn.Buffer(lib.ones(1))
    note(list(net._buffers), sorted(net._non_persistent_buffers_set))
    note(isinstance(net.buffer, nn.Buffer), isinstance(lib.ones(1), nn.Buffer), type(net.kept) is lib.Tensor)
    net.buffer = lib.zeros(2)
    note(sorted(net._non_persistent_buffers_set), [name for name, _ in net.named_buffers()])
    net.buffer = nn.Parameter(lib.ones(1))
    note(sorted(net._non_persistent_buffers_set), [name for name, _ in net.named_parameters()])

    class Hasty(nn.Module):
        def __init__(self, value):
            self.value = value

    attempt(lambda: Hasty(nn.Parameter(lib.ones(1))))
    attempt(lambda: Hasty(nn.ReLU()))
    attempt(lambda: Hasty(3).register_buffer("x", None))
    attempt(lambda: Hasty(3).register_parameter("x", None))
    attempt(lambda: nn.Module(1))
    attempt(lambda: nn.Module(a=1))
    attempt(lambda: nn.Module()(1))


@PROGRAMS.add(
    [
        "['', '0', '1', '1.1']",
        "['', '0', '1', '1.0', '1.1']",
        "['net', 'net.0', 'net.1', 'net.1.1']",
        "4 5",
        "['0.weight', '0.bias']",
        "['p.0.weight', 'p.0.bias', 'p.1.0.weight', 'p.1.0.bias']",
        "[]",
        "True True",
        "True",
        "AttributeError: Sequential has no attribute `2`",
        "AttributeError: Linear has no attribute `x`",
        "AttributeError: `weight` is not an nn.Module",
        "AttributeError: Linear has no attribute `x`",
        "AttributeError: `training` is not an nn.Parameter",
        "AttributeError: `weight` is not a buffer",
        "returned [1.0, 1.0]",
        "['', '0', '1', '1.1', 'new']",
        "ValueError: Cannot set the submodule without a target name!",
        "AttributeError: Sequential has no attribute `5`",
        "AttributeError: `weight` is not an nn.Module",
        "ValueError: `module` is not an nn.Module, found <class 'int'>",
        "ValueError: training mode is expected to be boolean",
        "True False True",
    ]
)
def names(lib, nn, note, attempt):
    shared = nn.Linear(1, 1)
    net = nn.Sequential(shared, nn.Sequential(shared, nn.ReLU()))
    note([name for name, _ in net.named_modules()])
    note([name for name, _ in net.named_modules(remove_duplicate=False)])
    note([name for name, _ in net.named_modules(prefix="net")])
    note(len(list(net.modules())), len(list(net.modules(remove_duplicate=False))))
    note([name for name, _ in net.named_parameters()])
    note([name for name, _ in net.named_parameters(prefix="p", remove_duplicate=False)])
    note([name for name, _ in net.named_parameters(recurse=False)])
    note(net.get_submodule("1.1") is net[1][1], net.get_submodule("") is net)
    note(net.get_parameter("1.0.bias") is shared.bias)
    for target in ("2", "1.0.x", "1.0.weight"):
        attempt(lambda target=target: net.get_submodule(target))
    attempt(lambda: net.get_parameter("0.x"))
    attempt(lambda: net.get_parameter("0.training"))
    attempt(lambda: net.get_buffer("0.weight"))
    attempt(lambda: nn.BatchNorm1d(2).get_buffer("running_var"))
    net.set_submodule("1.1", nn.Tanh())
    net.set_submodule("new", nn.Tanh())
    note([name for name, _ in net.named_modules()])
    attempt(lambda: net.set_submodule("", nn.ReLU()))
    attempt(lambda: net.set_submodule("1.5", nn.ReLU(), strict=True))
    attempt(lambda: net.set_submodule("1.0.weight", nn.ReLU()))
    attempt(lambda: net.set_submodule("1.1", 3))
    attempt(lambda: net.train("yes"))
    note("new" in dir(net), "0" in dir(net), "weight" in dir(shared))


@PROGRAMS.add(
    [
        "True gnomon.float64 True gnomon.float64",
        "gnomon.float64 gnomon.int64",
        "True gnomon.float16 True gnomon.float16",
        "gnomon.float16 gnomon.int64",
        "True gnomon.bfloat16 True gnomon.bfloat16",
        "gnomon.bfloat16 gnomon.int64",
        "True gnomon.float32 True gnomon.float32",
        "gnomon.float32 gnomon.int64",
        "gnomon.float64 True",
        (
            "TypeError: nn.Module.to only accepts floating point or complex dtypes, but got desired "
            "dtype=gnomon.int32"
        ),
        "gnomon.complex64 gnomon.int64",
        (
            "NotImplementedError: Cannot copy out of meta tensor; no data! Please use "
            "gnomon.nn.Module.to_empty() instead of gnomon.nn.Module.to() when moving module from meta "
            "to a different device."
        ),
        "[1, 2] False True",
        "[0.0]",
        "None",
        "True ['Linear', 'ReLU', 'Sequential']",
        "[False, False]",
        (
            "UserWarning: Complex modules are a new feature under active development whose design may "
            "change, and some modules might not work as expected when using complex tensors as "
            "parameters or buffers."
        ),
    ]
)
def conversion(lib, nn, note, attempt):
    net = Counter.of(lib, nn)
    net.register_buffer("number", lib.ones(1, dtype=lib.int64))
    weight = net.weight
    (net.weight.sum() + net.child.weight.sum()).backward()
    for act in ("double", "half", "bfloat16", "float"):
        note(getattr(net, act)() is net, weight.dtype, net.weight is weight, weight.grad.dtype)
        note(net.count.dtype, net.number.dtype)
    net.to(lib.float64)
    net.to(lib.ones(1, dtype=lib.float32))
    net.to("cpu", dtype=lib.float64, non_blocking=True)
    note(weight.dtype, net.cpu() is net)
    attempt(lambda: net.to(lib.int32))
    net.to(lib.complex64)
    note(net.weight.dtype, net.number.dtype)
    meta = nn.Linear(2, 1, device="meta")
    attempt(lambda: meta.to("cpu"))
    note(meta.to_empty(device="cpu").weight.shape, meta.weight.is_meta, meta.weight.requires_grad)
    net = nn.Linear(1, 1)
    net(lib.ones(1)).backward()
    net.zero_grad(set_to_none=False)
    note(net.bias.grad)
    net.zero_grad()
    note(net.bias.grad)
    seen = []
    note(
        nn.Sequential(net, nn.ReLU()).apply(lambda module: seen.append(type(module).__name__)) is not None,
        seen,
    )
    note([each.requires_grad for each in net.requires_grad_(False).parameters()])


@PROGRAMS.add(
    [
        "[[2.0, 2.0]] False Parameter",
        (
            "[[2.0, 2.0]] ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', "
            "'1.running_var', '1.num_batches_tracked'] True"
        ),
        "[0.0]",
    ]
)
def copies(lib, nn, note, attempt):
    net = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
    with lib.no_grad():
        net[0].weight.fill_(2.0)
    other = copy.deepcopy(net)
    note(other[0].weight, other[0].weight is net[0].weight, type(other[0].weight).__name__)
    loaded = pickle.loads(pickle.dumps(net))
    note(loaded[0].weight, list(loaded.state_dict()), loaded.training)
    old = nn.ReLU()
    state = {key: value for key, value in vars(old).items() if "hooks" not in key}
    del state["_non_persistent_buffers_set"]
    revived = nn.ReLU.__new__(nn.ReLU)
    revived.__setstate__({**state, "_forward_hooks": {}, "_backward_hooks": {}})
    note(revived(lib.full((1,), -1.0)))


@PROGRAMS.add(
    [
        (
            "Wordy(\n  one\n  two\n  (child): ReLU()\n  (inner): Sequential(\n    (0): "
            "Linear(in_features=1, out_features=2, bias=True)\n    (1): Sequential(\n      (0): "
            "Tanh()\n    )\n  )\n  (nothing): ModuleList()\n)"
        ),
        "Lines(\n  one\n  two\n)",
        (
            "ModuleDict(\n  (a): Linear(in_features=1, out_features=1, bias=True)\n  (b): ModuleList(\n"
            "    (0-1): 2 x ReLU()\n    (2): Tanh()\n  )\n)"
        ),
        (
            "ParameterList(\n    (0): Parameter containing: [gnomon.float32 of size 2x3]\n    (1): "
            "Object of type: int\n    (2): Parameter containing: [gnomon.float32 of size ]\n    (3): "
            "Object of type: str\n)"
        ),
        (
            "ParameterDict(\n    (a): Object of type: int\n    (b): Parameter containing: "
            "[gnomon.DoubleTensor of size 2]\n)"
        ),
        "ParameterList() ParameterDict() ModuleList() ModuleDict() Sequential()",
    ]
)
def texts(lib, nn, note, attempt):
    class Wordy(nn.Module):
        def __init__(self):
            super().__init__()
            self.child = nn.ReLU()
            self.inner = nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.Tanh()))
            self.nothing = nn.ModuleList()

        def extra_repr(self):
            return "one\ntwo"

    note(Wordy())

    class Lines(nn.Module):
        def extra_repr(self):
            return "one\ntwo"

    note(Lines())
    note(nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])}))
    note(nn.ParameterList([lib.ones(2, 3), 3, nn.Parameter(lib.ones(())), "text"]))
    note(nn.ParameterDict({"b": lib.ones(2, dtype=lib.float64), "a": 3}))
    note(nn.ParameterList(), nn.ParameterDict(), nn.ModuleList(), nn.ModuleDict(), nn.Sequential())


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_happens(name):
    assert PROGRAMS.recorded(name, gn) == PROGRAMS.expected(name)


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_happens_in_pytorch(name):
    torch = pytest.importorskip("torch")
    assert PROGRAMS.recorded(name, torch) == PROGRAMS.expected(name)
