"""Writes the C header of declarations shared by C and Python: the Plan, the numbers of its enums, the bits of
dispatch keys.  Each is declared once, in Python; this file reads the declarations.

setuptools runs ``write`` before it compiles csrc/speedups (setup.py).
"""

import dataclasses
import runpy
from enum import IntEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAN = "backends/gnomon_speedups/plan.py"
KEYS = "reference/gnomon/values/dispatch_key.py"

# annotation -> (C's declaration, the function that reads a field; see csrc/speedups/plan.c)
_FORMS = {
    "int": ("int64_t {0};", "INTEGER"),
    "float": ("double {0};", "NUMBER"),
    "bool": ("int64_t {0};", "INTEGER"),
    "Kind": ("int64_t {0};", "INTEGER"),
    "Entry": ("int64_t {0};", "INTEGER"),
    "tuple[int, ...]": ("int64_t *{0};\n    Py_ssize_t {0}_count;", "INTEGERS"),
    "tuple[float, ...]": ("double *{0};\n    Py_ssize_t {0}_count;", "NUMBERS"),
}
_OBJECT = ("PyObject *{0};", "OBJECT")


def fields() -> list[tuple[str, str]]:
    """The Plan's fields in order, each with its C type."""
    declared = runpy.run_path(str(ROOT / PLAN))["Plan"]
    return [(each.name, _FORMS.get(each.type, _OBJECT)[1]) for each in dataclasses.fields(declared)]


def header() -> str:
    """The text of the header."""
    shared = runpy.run_path(str(ROOT / PLAN))
    declared = [(each.name, _FORMS.get(each.type, _OBJECT)) for each in dataclasses.fields(shared["Plan"])]
    lines = [
        f"/* Written by cffi_build/speedups_build.py from {PLAN} and {KEYS}. */",
        "#ifndef GN_PLAN_LAYOUT_H",
        "#define GN_PLAN_LAYOUT_H",
        "",
        "typedef struct PlanFields {",
        *[f"    {form.format(name)}" for name, (form, _) in declared],
        "} PlanFields;",
        "",
        "/* X(name, form) */",
        "#define PLAN_FIELDS(X) \\",
        " \\\n".join(f"    X({name}, {form})" for name, (_, form) in declared),
        "",
    ]
    for enumeration in ("Kind", "Entry", "Saved"):
        for each in shared[enumeration]:
            lines.append(f"#define {enumeration.upper()}_{each.name} {int(each)}")
    lines += [f"#define {name} {shared[name]}" for name in ("MOST_ARGUMENTS", "MOST_STEPS", "OF_STEPS")]
    keys = runpy.run_path(str(ROOT / KEYS))
    for name, value in keys.items():
        if name.isupper() and isinstance(value, int) and not isinstance(value, IntEnum):
            lines.append(f"#define KEY_{name} {value}")
    return "\n".join([*lines, "", "#endif", ""])


def write(directory: str) -> str:
    """Writes ``plan_layout.h`` into a directory, and returns the directory."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    target = Path(directory) / "plan_layout.h"
    text = header()
    if not target.exists() or target.read_text() != text:
        target.write_text(text)
    return directory


if __name__ == "__main__":
    print(header())
