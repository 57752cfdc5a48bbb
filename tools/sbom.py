"""Writes a bill of materials (SBOM) of a wheel: CycloneDX 1.6, as JSON.

    python tools/sbom.py dist/gnomon-0.1.0-cp312-cp312-linux_x86_64.whl             # prints it
    python tools/sbom.py dist/gnomon-0.1.0-py3-none-any.whl --output dist/sbom.json

It names the wheel with its hash and licence, the packages that it requires, those that these require, and the
files in it that come from others: shared libraries that ``auditwheel`` or ``delocate`` has copied into it,
and data.  A wheel says which packages it requires, but not which version will be installed: versions and
licences are those of the environment in which this program runs, and a package that is not there has neither.
Packages of extras are listed with the scope ``optional``, without their own requirements.  The same wheel in
the same environment gives the same document; its date is ``SOURCE_DATE_EPOCH``, and absent without it.
"""

from __future__ import annotations

import argparse
import datetime
import email.parser
import hashlib
import importlib.metadata
import json
import os
import sys
import uuid
import zipfile
from collections.abc import Iterable, Sequence
from email.message import Message
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# What in the package gnomon was made by others: the file, what it is, and the licence that its notice names.
DATA = {"gnomon/demo/data/digits.csv.gz": ("Optical Recognition of Handwritten Digits", "CC-BY-4.0")}
SHARED_LIBRARIES = (".so", ".dylib", ".dll")


def metadata_of(wheel: Path) -> Message:
    """The file METADATA of a wheel.  Raises ValueError for another file."""
    if not zipfile.is_zipfile(wheel):
        raise ValueError(f"expected a wheel, got {wheel}, which is not a zip file")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        if len(names) != 1:
            raise ValueError(f"expected a wheel with one file METADATA, got {wheel} with {len(names)}")
        return email.parser.Parser().parsestr(archive.read(names[0]).decode())


def licences_of(metadata: Any) -> list[dict]:
    """The licences that a package's metadata states, in CycloneDX's form; empty if it states none."""
    expression = metadata.get("License-Expression")
    if expression:
        return [{"expression": expression}]
    classifiers = metadata.get_all("Classifier") or []
    named = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    text = (metadata.get("License") or "").strip()
    if text and "\n" not in text:  # some packages have the whole text in this field
        named = [text]
    return [{"license": {"name": name}} for name in named]


def requirements_of(metadata: Any, extras: bool = False) -> list[tuple[Requirement, bool]]:
    """The packages that a package requires here; with those of its extras: each, and is it an extra's?

    Markers, such as one for another system, are evaluated for the running Python.
    """
    found = []
    for text in metadata.get_all("Requires-Dist") or []:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found.append((requirement, False))
        elif extras and "extra" in str(requirement.marker):
            found.append((requirement, True))
    return found


def reference(name: str, version: str | None) -> str:
    """The package URL of a package of PyPI."""
    return f"pkg:pypi/{canonicalize_name(name)}" + (f"@{version}" if version else "")


def installed(name: str) -> Any:
    """The metadata of an installed package, or None."""
    try:
        return importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def package(name: str, optional: bool, requirement: str) -> dict:
    """The component of a package that another one requires."""
    found = installed(name)
    version = found["Version"] if found is not None else None
    made: dict = {
        "type": "library",
        "bom-ref": reference(name, version),
        "name": name,
        "scope": "optional" if optional else "required",
        "purl": reference(name, version),
        "properties": [{"name": "requirement", "value": requirement}],
    }
    if version:
        made["version"] = version
    licences = licences_of(found) if found is not None else []
    if licences:
        made["licenses"] = licences
    return made


def hashed(content: bytes) -> list[dict]:
    """The hashes of some bytes, in CycloneDX's form."""
    return [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]


def files_of_others(wheel: Path) -> list[dict]:
    """The components of files in the wheel that other projects have made."""
    found = []
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            made: dict = {"bom-ref": f"file:{name}", "name": name}
            if name in DATA:
                title, licence = DATA[name]
                made |= {"type": "data", "description": title, "licenses": [{"license": {"id": licence}}]}
            elif _is_copied(name):
                made |= {"type": "library", "description": "a shared library copied into the wheel"}
            else:
                continue
            found.append(made | {"hashes": hashed(archive.read(name))})
    return found


def _is_copied(name: str) -> bool:
    # auditwheel copies to NAME.libs, delocate to NAME/.dylibs
    is_beside = any(part.endswith((".libs", ".dylibs")) for part in name.split("/")[:-1])
    return is_beside and any(suffix in SHARED_LIBRARIES for suffix in Path(name).suffixes)


def bill_of(wheel: Path) -> dict:
    """The document for a wheel.  Raises ValueError if the file is not a wheel."""
    metadata = metadata_of(wheel)
    name, version = metadata["Name"], metadata["Version"]
    content = wheel.read_bytes()
    subject: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference(name, version),
        "name": name,
        "version": version,
        "description": metadata["Summary"],
        "licenses": licences_of(metadata),
        "purl": f"{reference(name, version)}?file_name={wheel.name}",
        "hashes": hashed(content),
    }
    components: dict[str, dict] = {}
    edges: dict[str, set[str]] = {subject["bom-ref"]: set()}
    _follow(subject["bom-ref"], requirements_of(metadata, extras=True), components, edges)
    about: dict = {
        "component": subject,
        "tools": {"components": [{"type": "application", "name": "tools/sbom.py", "version": version}]},
    }
    if os.environ.get("SOURCE_DATE_EPOCH"):
        date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        about["timestamp"] = date.isoformat().replace("+00:00", "Z")
    others = files_of_others(wheel)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(content).hexdigest())}",
        "version": 1,
        "metadata": about,
        "components": [*(components[each] for each in sorted(components)), *others],
        "dependencies": [{"ref": each, "dependsOn": sorted(edges[each])} for each in sorted(edges)],
    }


def _follow(
    start: str,
    wanted: Iterable[tuple[Requirement, bool]],
    components: dict[str, dict],
    edges: dict[str, set[str]],
) -> None:
    for requirement, optional in wanted:
        if canonicalize_name(requirement.name) == "gnomon":
            continue
        made = package(requirement.name, optional, str(requirement))
        key = made["bom-ref"]
        if key == start:
            continue
        edges[start].add(key)
        if key not in components or (components[key]["scope"] == "optional" and not optional):
            components[key] = made
        if key not in edges:
            edges[key] = set()
        if not optional and not edges[key] and (found := installed(requirement.name)) is not None:
            _follow(key, requirements_of(found), components, edges)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (default: those of the process); returns its status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--output", type=Path, help="the file to write (default: print)")
    options = parser.parse_args(arguments)
    try:
        text = json.dumps(bill_of(options.wheel), indent=2) + "\n"
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if options.output is None:
        sys.stdout.write(text)
        return 0
    unfinished = options.output.with_name(f"{options.output.name}.part")
    unfinished.write_text(text, "utf-8")
    unfinished.replace(options.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
