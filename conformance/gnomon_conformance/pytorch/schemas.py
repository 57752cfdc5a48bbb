"""PyTorch's operator schemas, from the native_functions.yaml in its own distribution."""

from __future__ import annotations

import functools
import pathlib


@functools.cache
def pytorch_schemas() -> dict[str, str]:
    """Operator name with overload -> schema, verbatim.  Needs PyTorch installed.

    Reads two keys of the file, ``func`` and ``autogen``; torchgen generates the variants that the latter
    names, and their schemas come from PyTorch's registry.
    """
    import torch
    import torchgen

    path = pathlib.Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("- func: "):
            text = line[len("- func: ") :].strip()
            found[text.partition("(")[0]] = text
        elif line.startswith("  autogen: "):
            for full_name in line[len("  autogen: ") :].split(","):
                name, _, overload = full_name.strip().partition(".")
                operator = getattr(getattr(torch.ops.aten, name, None), overload or "default", None)
                if operator is not None:
                    found[full_name.strip()] = str(operator._schema).removeprefix("aten::")
    return found
