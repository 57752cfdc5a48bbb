"""tqdm over loaders and tensors, and rich's print, inspect and pretty-printing of tensors and state dicts.

With ``-m oracle`` the same with PyTorch, where the texts do not name the library.
"""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import rich
from rich.console import Console
from rich.pretty import pretty_repr
from rich.table import Table
from tqdm import tqdm

import gnomon as gn


def console() -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, width=100, color_system=None), text


def test_tqdm_over_a_loader(lib: ModuleType) -> None:
    text = io.StringIO()
    data = lib.utils.data.TensorDataset(lib.arange(10.0), lib.arange(10))
    loader = lib.utils.data.DataLoader(data, batch_size=4)
    bar = tqdm(loader, file=text, ascii=True, mininterval=0, miniters=1)
    assert bar.total == 3
    seen = []
    for x, _ in bar:
        bar.set_postfix(mean=x.mean().item())
        seen.append(len(x))
    assert seen == [4, 4, 2]
    assert "3/3 [" in text.getvalue() and "mean=8.5]" in text.getvalue()


def test_tqdm_over_tensors_and_streams(lib: ModuleType) -> None:
    text = io.StringIO()
    rows = tqdm(lib.arange(6).reshape(3, 2), file=text, ascii=True)
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    assert "3/3 [" in text.getvalue()

    class Stream(lib.utils.data.IterableDataset):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Any:
            return iter(range(3))

    stream = tqdm(lib.utils.data.DataLoader(Stream(), batch_size=None), file=text, ascii=True)
    assert stream.total is None and list(stream) == [0, 1, 2]


def test_rich_prints_tensors_and_modules(lib: ModuleType) -> None:
    to, text = console()
    to.print(lib.tensor([[1.0, 2.0], [3.0, 4.5]]), lib.nn.Linear(2, 3))
    assert text.getvalue().splitlines() == [
        "tensor([[1.0000, 2.0000],",
        "        [3.0000, 4.5000]]) Linear(in_features=2, out_features=3, bias=True)",
    ]


def test_rich_prints_state_dicts(lib: ModuleType) -> None:
    model = lib.nn.Linear(2, 1)
    with lib.no_grad():
        for each in model.parameters():
            each.fill_(0.5)
    assert pretty_repr(dict(model.state_dict()), max_width=50).splitlines() == [
        "{",
        "    'weight': tensor([[0.5000, 0.5000]]),",
        "    'bias': tensor([0.5000])",
        "}",
    ]
    assert pretty_repr([lib.ones(1)]) == "[tensor([1.])]"
    to, text = console()
    table = Table("name", "sizes")
    for name, each in model.state_dict().items():
        table.add_row(name, str(tuple(each.shape)))
    to.print(table)
    assert "weight" in text.getvalue() and "(1, 2)" in text.getvalue()


def test_rich_inspects_a_tensor() -> None:
    to, text = console()
    rich.inspect(gn.ones(2, requires_grad=True), console=to)
    shown = text.getvalue()
    assert "<class 'gnomon.memory.tensor.Tensor'>" in shown
    assert "tensor([1., 1.], requires_grad=True)" in shown
    for line in ("requires_grad = True", "shape = gnomon.Size([2])", "dtype = gnomon.float32"):
        assert line in shown, line
    to, text = console()
    rich.inspect(gn.Tensor.add, console=to)
    assert "add" in text.getvalue()


def test_rich_tracebacks_show_local_tensors() -> None:
    to, text = console()
    try:
        here = gn.ones(2)
        here @ gn.ones(3)
    except RuntimeError:
        to.print_exception(show_locals=True)
    assert "here = tensor([1., 1.])" in text.getvalue() and "RuntimeError" in text.getvalue()
