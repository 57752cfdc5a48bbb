"""tools/sbom.py: a wheel's bill of materials has what CycloneDX requires, and says what is in the wheel."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

METADATA = """Metadata-Version: 2.4
Name: gnomon
Version: 0.1.0
Summary: A tensor library
License-Expression: BSD-3-Clause
Requires-Dist: numpy
Requires-Dist: cffi>=1.16
Requires-Dist: colorama; sys_platform == "no such system"
Provides-Extra: demo
Requires-Dist: made-up-package>=2; extra == "demo"

The description.
"""
FILES = {
    "gnomon/__init__.py": b"",
    "gnomon/demo/data/digits.csv.gz": b"digits",
    "gnomon_c/_native.abi3.so": b"our own library",
    "gnomon.libs/libgomp-1234.so.1.0.0": b"a library of others",
    "gnomon-0.1.0.dist-info/METADATA": METADATA.encode(),
}


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("sbom_tool", ROOT / "tools" / "sbom.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    made = tmp_path / "gnomon-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return made


def _named(document: dict, name: str) -> dict:
    (found,) = [each for each in document["components"] if each["name"] == name]
    return found


def test_the_document_has_the_required_fields_and_describes_the_wheel(wheel: Path) -> None:
    document = TOOL.bill_of(wheel)
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    assert document["serialNumber"].startswith("urn:uuid:")
    subject = document["metadata"]["component"]
    assert (subject["type"], subject["name"], subject["version"]) == ("library", "gnomon", "0.1.0")
    assert subject["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert subject["hashes"] == [
        {"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    ]
    assert subject["purl"] == "pkg:pypi/gnomon@0.1.0?file_name=gnomon-0.1.0-py3-none-any.whl"
    assert all(each["type"] and each["name"] and each["bom-ref"] for each in document["components"])
    references = [each["bom-ref"] for each in document["components"]] + [subject["bom-ref"]]
    assert len(set(references)) == len(references)
    assert {each["ref"] for each in document["dependencies"]} <= set(references)
    assert {ref for each in document["dependencies"] for ref in each["dependsOn"]} <= set(references)


def test_packages_have_the_versions_and_licences_of_the_environment(wheel: Path) -> None:
    document = TOOL.bill_of(wheel)
    numpy, cffi = _named(document, "numpy"), _named(document, "cffi")
    assert numpy["version"] == importlib.metadata.version("numpy") and numpy["scope"] == "required"
    assert "BSD-3-Clause" in json.dumps(numpy["licenses"])
    assert cffi["purl"] == f"pkg:pypi/cffi@{importlib.metadata.version('cffi')}"
    assert cffi["properties"] == [{"name": "requirement", "value": "cffi>=1.16"}]
    assert _named(document, "pycparser")["scope"] == "required"  # what cffi requires
    edges = {each["ref"]: each["dependsOn"] for each in document["dependencies"]}
    assert _named(document, "pycparser")["bom-ref"] in edges[cffi["bom-ref"]]
    optional = _named(document, "made-up-package")
    assert optional["scope"] == "optional" and not {"version", "licenses"} & optional.keys()
    assert "colorama" not in [each["name"] for each in document["components"]]


def test_files_of_others_are_listed_and_our_own_are_not(wheel: Path) -> None:
    document = TOOL.bill_of(wheel)
    library = _named(document, "gnomon.libs/libgomp-1234.so.1.0.0")
    assert library["hashes"][0]["content"] == hashlib.sha256(b"a library of others").hexdigest()
    digits = _named(document, "gnomon/demo/data/digits.csv.gz")
    assert digits["type"] == "data" and digits["licenses"] == [{"license": {"id": "CC-BY-4.0"}}]
    assert "gnomon_c/_native.abi3.so" not in [each["name"] for each in document["components"]]


def test_data_of_others_is_where_the_tool_says() -> None:
    for name in TOOL.DATA:
        notice = (ROOT / "reference" / name).with_name("SOURCE.md").read_text("utf-8")
        assert (ROOT / "reference" / name).exists() and "CC BY 4.0" in notice


def test_it_is_the_same_each_time_and_has_a_date_only_if_it_is_given_one(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    assert TOOL.main([str(wheel), "--output", str(first)]) == 0
    assert TOOL.main([str(wheel), "--output", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert "timestamp" not in json.loads(first.read_text())["metadata"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert TOOL.bill_of(wheel)["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json", wheel.name, "second.json"]


def test_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.whl"
    other.write_bytes(b"no archive")
    with pytest.raises(SystemExit):
        TOOL.main([str(other)])
    assert "which is not a zip file" in capsys.readouterr().err
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a.txt", "")
    with pytest.raises(ValueError, match="expected a wheel with one file METADATA"):
        TOOL.bill_of(other)


def test_it_follows_the_schema_of_cyclonedx(wheel: Path) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(TOOL.bill_of(wheel))) is None
