"""The strides of results and gradients of all operators that take channels-last tensors, beside PyTorch's.

Each function of torch, nn.functional, special, linalg and fft, and each method, is called in many forms;
those that PyTorch takes are compared, with a gradient that is contiguous and with one in the result's order.
"""

import inspect
import re

import pytest

import gnomon as gn

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

FORMS = {
    "x": lambda f, a: f(a.x),
    "x, y": lambda f, a: f(a.x, a.y),
    "x, y, z": lambda f, a: f(a.x, a.y, a.z),
    "x, 2.0": lambda f, a: f(a.x, 2.0),
    "2.0, x": lambda f, a: f(2.0, a.x),
    "x, 1": lambda f, a: f(a.x, 1),
    "x, 1, 2": lambda f, a: f(a.x, 1, 2),
    "x, (2, 3)": lambda f, a: f(a.x, (2, 3)),
    "x, (0, 1, 3, 2)": lambda f, a: f(a.x, (0, 1, 3, 2)),
    "x, dim=1": lambda f, a: f(a.x, dim=1),
    "x, dim=1, keepdim": lambda f, a: f(a.x, dim=1, keepdim=True),
    "x, dim=(2, 3), keepdim": lambda f, a: f(a.x, dim=(2, 3), keepdim=True),
    "x, y, dim=1": lambda f, a: f(a.x, a.y, dim=1),
    "x, mask": lambda f, a: f(a.x, a.mask),
    "x, mask, 2.0": lambda f, a: f(a.x, a.mask, 2.0),
    "x, mask, y": lambda f, a: f(a.x, a.mask, a.y),
    "mask, x, y": lambda f, a: f(a.mask, a.x, a.y),
    "mask, x, 2.0": lambda f, a: f(a.mask, a.x, 2.0),
    "x, y, 0.5": lambda f, a: f(a.x, a.y, 0.5),
    "x, 0.1, 0.5": lambda f, a: f(a.x, 0.1, 0.5),
    "x, 1, index": lambda f, a: f(a.x, 1, a.index),
    "x, 1, index, y": lambda f, a: f(a.x, 1, a.index, a.y),
    "x, 2, few": lambda f, a: f(a.x, 2, a.few),
    "x, 1, 1, 2": lambda f, a: f(a.x, 1, 1, 2),
    "x, channels": lambda f, a: f(a.x, a.channels),
    "x, y, none": lambda f, a: f(a.x, a.y, reduction="none"),
    "x, y, sum": lambda f, a: f(a.x, a.y, reduction="sum"),
    "x, y, z, none": lambda f, a: f(a.x, a.y, a.z, reduction="none"),
    "x, y, weight": lambda f, a: f(a.x, a.y.detach(), weight=a.z.detach()),
    "x, y, pos_weight": lambda f, a: f(a.x, a.y.detach(), pos_weight=a.z.detach()),
    "[x, y]": lambda f, a: f([a.x, a.y]),
    "[x, y], 1": lambda f, a: f([a.x, a.y], 1),
    "x, classes": lambda f, a: f(a.x, a.index[:, 0]),
    "x, sizes": lambda f, a: f(a.x, tuple(a.x.shape)),
    "x, (1, 2, 1, 2)": lambda f, a: f(a.x, (1, 2, 1, 2)),
}
# They need other arguments, are random, change settings, or make no tensor.
LEFT_OUT = re.compile(
    r"^_|backward|^rand|^set_|dropout|^(compile|load|save|seed|manual_seed|from_file|hub|jit|fork|wait|vmap|"
    "typename|cond|while_loop|export|get_rng_state|use_deterministic_algorithms|autocast|import_ir|"
    "thread_safe|share_memory_|register|retain_grad|map|apply_|resize|numpy|tolist|item|rename|names|align|"
    "refine|multinomial|bernoulli|binomial|asarray|tensor$|as_tensor|Tensor|geqrf|to_mkldnn|multi_head|cuda|cpu|"
    "empty|new_empty|storage|data_ptr|untyped|fused)"
)
KNOWN = {
    # a composite of PyTorch, or of gnomon, whose order is that of a product or of a copy inside
    "pinverse": "decompositions are composites",
    "pinv": "decompositions are composites",
    "lstsq": "decompositions are composites",
    "prod": "gnomon's derivative multiplies by cumulated products",
    "rms_norm": "a composite in PyTorch",
    "masked_select": "PyTorch writes in place, gnomon to a contiguous copy",
    "binary_cross_entropy_with_logits": "one formula in PyTorch, a composite here",
    "mse_loss": "PyTorch's kernel makes a contiguous gradient, gnomon's is a composite",
    "hfftn": "MKL's order of dimensions",
    # of a number; that of a tensor agrees
    "xlogy": "by a number, PyTorch leaves out the mask",
    "xlog1py": "by a number, PyTorch leaves out the mask",
}


class Arguments:
    """Channels-last tensors; ``mask`` bool, ``index`` int64, ``channels`` with a number for each channel."""

    def __init__(self, lib, sizes):
        count = gn.Size(sizes).numel()

        def made(seed):
            numbers = [((seed * 7919 + place * 104729) % 1009) / 1010 + 0.001 for place in range(count)]
            return lib.tensor(numbers).reshape(sizes).to(memory_format=lib.channels_last)

        self.x, self.y, self.z = (made(seed).requires_grad_() for seed in (1, 2, 3))
        self.mask = made(5) > 0.5
        self.index = (made(6) * sizes[1]).long().clamp(0, sizes[1] - 1)
        self.channels = lib.tensor([0.5, 0.25, 0.75], requires_grad=True)
        self.few = lib.tensor([0, 1])

    def inputs(self):
        return [self.x, self.y, self.z, self.channels]


def strides_of(tensor):
    """Strides of dimensions with several elements."""
    if tensor is None or not tensor.numel():
        return None
    return tuple(stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1)


def flat(value):
    return [leaf for each in value for leaf in flat(each)] if isinstance(value, (tuple, list)) else [value]


def strides(lib, function, form, sizes):
    """{what: strides}; {} if the call returns no tensor."""
    given = Arguments(lib, sizes)
    results = [each for each in flat(form(function, given)) if isinstance(each, lib.Tensor)]
    found = {f"result {place}": strides_of(each) for place, each in enumerate(results)}
    outputs = [each for each in results if each.requires_grad and each.is_floating_point()]
    for order in ("contiguous", "preserved") if outputs else ():
        is_plain = order == "contiguous"
        grads = [
            lib.ones(tuple(each.shape), dtype=each.dtype) if is_plain else lib.ones_like(each)
            for each in outputs
        ]
        try:
            inputs = given.inputs()
            made = lib.autograd.grad(outputs, inputs, grads, allow_unused=True, retain_graph=True)
        except (RuntimeError, NotImplementedError):
            continue
        for name, grad in zip(("x", "y", "z", "channels"), made):
            found[f"gradient of {name}, {order}"] = strides_of(grad)
    return found


def sources(lib):
    return {
        "torch": lib,
        "F": lib.nn.functional,
        "special": lib.special,
        "Tensor": lib.Tensor,
        "linalg": lib.linalg,
        "fft": lib.fft,
    }


def differing(source, sizes):
    """{name: what differs} of the functions of a module, and how many calls were compared."""
    theirs, ours = sources(torch)[source], sources(gn)[source]
    found, count = {}, 0
    for name in sorted(dir(theirs)):
        their, own = getattr(theirs, name), getattr(ours, name, None)
        if LEFT_OUT.search(name) or own is None or not callable(their) or inspect.isclass(their):
            continue
        for text, form in FORMS.items():
            if text == "x, classes" and sizes[0] == 1:  # they broadcast
                continue
            try:
                expected = strides(torch, their, form, sizes)
            except Exception:  # PyTorch does not take this form
                continue
            if not expected:
                continue
            try:
                given = strides(gn, own, form, sizes)
            except (RuntimeError, TypeError, AttributeError, IndexError):
                continue  # other tests compare what is taken
            count += 1
            wrong = {
                what: (given[what], each)
                for what, each in expected.items()
                if what in given and None not in (each, given[what]) and given[what] != each
            }
            if wrong:
                found.setdefault(name, []).append((text, wrong))
    return found, count


@pytest.fixture(autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


COUNTS = {"torch": 600, "F": 100, "special": 30, "Tensor": 500, "linalg": 10, "fft": 20}  # at least


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (1, 3, 4, 5)])
@pytest.mark.parametrize("source", COUNTS)
def test_strides(device, source, sizes):
    found, count = differing(source, sizes)
    assert count > COUNTS[source]
    assert {name: each for name, each in found.items() if name not in KNOWN} == {}


def test_known_differences_are_needed():
    names = {name for source in COUNTS for name in differing(source, (2, 3, 4, 5))[0]}
    assert sorted(set(KNOWN) - names) == []
