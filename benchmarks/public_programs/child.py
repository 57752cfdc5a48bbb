"""Runs one program with one library, records it, and writes the record: started by ``runner.py``.

    python child.py LIBRARY RECORD STEPS MOVED PROGRAM [ARGUMENT ...]

LIBRARY is ``gnomon``, ``torch``, or ``torch-same-draws``: PyTorch with gnomon's random numbers.  If MOVED is
not 0, training starts from parameters whose last bits differ, other ones for each number.

The record has the value of the tensor of each call of ``backward``, the parameters at the end, and the
seconds from the end of each of these calls to the end of the next one.  The program ends itself, or is
stopped when it calls ``backward`` once more than STEPS.  It also has the number of steps of environments.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

sys.path[0] = str(Path(__file__).resolve().parents[1])
from public_programs import library  # noqa: E402

SEED = 1


class Enough(BaseException):
    """Stops the program; not an Exception, so that no handler of the program catches it."""


class Recorder:
    """What a program does with a library."""

    def __init__(self, torch: Any, steps: int, moved: int = 0) -> None:
        self.steps = steps
        self.generator = np.random.default_rng(moved) if moved else None
        self.losses: list[Any] = []
        self.times: list[float] = []
        self.optimizers: list[Any] = []
        backward, start = torch.Tensor.backward, torch.optim.Optimizer.__init__

        def recorded_backward(tensor: Any, *args: Any, **kwargs: Any) -> None:
            if len(self.losses) == self.steps:
                raise Enough
            self.losses.append(tensor.detach().clone())
            backward(tensor, *args, **kwargs)
            self.times.append(time.perf_counter())

        def recorded_start(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            start(optimizer, *args, **kwargs)
            self.optimizers.append(optimizer)
            if self.generator is not None:
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        move(parameter.detach().numpy(), self.generator)

        torch.Tensor.backward = recorded_backward
        torch.optim.Optimizer.__init__ = recorded_start

    def parameters(self, torch: Any, names: dict[str, Any]) -> list[Any]:
        """The parameters of all optimizers, and of the modules and tensors among the program's names."""
        found = [p for each in self.optimizers for group in each.param_groups for p in group["params"]]
        for value in names.values():
            if isinstance(value, torch.nn.Module):
                found += value.parameters()
            elif isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf:
                found.append(value)
        return list({id(parameter): parameter for parameter in found}.values())


def refuse_the_network(event: str, args: tuple[Any, ...]) -> None:
    """An audit hook: a program gets its data from us."""
    if event == "socket.getaddrinfo":
        raise OSError("the programs run without a network")


def move(values: np.ndarray, generator: np.random.Generator) -> None:
    """Replace each value by one of its two neighbours, at random."""
    directions = generator.choice(np.array([-np.inf, np.inf], values.dtype), values.shape)
    values[...] = np.nextafter(values, directions)


def numbers(tensor: Any) -> np.ndarray:
    return tensor.detach().cpu().double().numpy()


def main(name: str, record: str, steps: str, moved: str, program: str, *arguments: str) -> None:
    torch = library.choose(name.partition("-")[0])
    if name == "torch-same-draws":
        from public_programs import draws

        draws.start()
    recorder = Recorder(torch, int(steps), int(moved))
    sys.addaudithook(refuse_the_network)
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)

    sys.argv = [program, *arguments]
    sys.path.insert(0, str(Path(program).resolve().parent))
    module = sys.modules["__main__"] = ModuleType("__main__")  # of the program, for pickle
    module.__file__ = program
    try:
        exec(compile(Path(program).read_text(), program, "exec", dont_inherit=True), module.__dict__)
    except Enough:
        pass
    except SystemExit as end:
        if end.code:
            raise
    if not recorder.times:
        raise RuntimeError("no losses were recorded: the program did not call backward")
    parameters = recorder.parameters(torch, module.__dict__)
    arrays: dict[str, Any] = {f"parameter{i}": numbers(parameter) for i, parameter in enumerate(parameters)}
    arrays["losses"] = [numbers(loss).sum() for loss in recorder.losses]
    arrays["seconds"] = np.diff(recorder.times)
    arrays["environment_steps"] = getattr(sys.modules.get("gymnasium"), "taken", 0)
    np.savez(record, **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
