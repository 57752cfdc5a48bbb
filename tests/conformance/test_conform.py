"""``gnomon conform``, as a backend's author runs it: outcomes, crashes, expectations, reports, statuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from gnomon.memory.backend import CONTRACT_VERSION, Claim
from gnomon_conformance import SUITE_VERSION, conform
from gnomon_conformance.collection import foundation, known_names, selection, tiers
from gnomon_conformance.comparison.differences import renamed_device
from gnomon_conformance.comparison.expectations import ExpectationsError, parse
from gnomon_conformance.reporting import page, report, verdicts
from gnomon_conformance.reporting.outcomes import OUTCOMES, Result, counts, from_data, score

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HELLO = ROOT / "backends" / "gnomon_hello"

# A backend with two kernels, one of which has faults that depend on the dtype.
PROBE = """
import ctypes
import os

from gnomon.memory.backend import USUAL_TRAITS, Claim
from gnomon_hello import Hello, add, neg


def faulty(iterator):
    dtype = iterator.tensor(0).dtype.name
    if dtype == "int8":
        ctypes.string_at(0)
    # in one test: each that hangs takes the limit
    if dtype == "int16" and "test_forward[" in os.environ.get("PYTEST_CURRENT_TEST", ""):
        while True:
            pass
    neg(iterator)
    if dtype == "int32":
        out = iterator.tensor(0)
        out.dtype.writer(out.untyped_storage().memory._bytes)(out.storage_offset(), 5)


class Probe(Hello):
    name = device_type = "probe"
    kernels = {"add.Tensor": add, "neg": faulty}
    capabilities = {
        "add.Tensor": Claim(strided=False),
        "neg": ("int8", "int16", "int32", "int64", "float32", "float64"),
        "abs": ("int64",),
    }
    traits = USUAL_TRAITS - {"float64"}
"""


def environment(*folders: Path, **variables: str) -> dict[str, str]:
    """The environment of a subprocess in which only ``folders`` and what is installed can be imported."""
    path = [str(each) for each in (*folders, ROOT / "reference", ROOT / "conformance", HELLO)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1", **variables}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, away from the checkout."""
    command = [sys.executable, "-m", "gnomon.cli", "conform", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment(folder), timeout=600
    )


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder from which ``probe`` can be imported, and where its entry point is found."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "gnomon_probe.py").write_text(PROBE)
    information = folder / "gnomon_probe-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: gnomon_probe\nVersion: 1.2\n")
    (information / "entry_points.txt").write_text("[gnomon.backends]\nprobe = gnomon_probe:Probe\n")
    return folder


@pytest.fixture(scope="module")
def whole(probe: Path) -> SimpleNamespace:
    """One run that shows all the faults of ``probe``, with its report parsed."""
    expected = probe / "expected.txt"
    expected.write_text(
        "# two lines\n\nfail  forward[neg-int32]  the first element is 5\n"
        "fail  forward[neg-int64]  fixed long ago\n"
        "fail  values[neg-int8]  it crashes with these, too\n"
    )
    folder = probe / "report"
    done = run(
        *(probe, "probe", "--ops", r"^(neg|abs|add\.Tensor)$", "--report", str(folder), "-n", "1"),
        *("--dtypes", "int8,int16,int32,int64,float32,float64", "--hang-limit", "10"),
        *("--property-seconds", "1", "--tier", "pointwise", "--expectations", str(expected)),
    )
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-3000:]
    data = report.read(str(folder / "report.json"))
    results = {each["test"]: from_data(each) for each in data["results"]}
    return SimpleNamespace(done=done, folder=folder, data=data, results=results, home=probe)


def test_what_passes_names_its_kernel(whole: SimpleNamespace) -> None:
    result = whole.results["forward[neg-float32]"]
    assert (result.outcome, result.message, result.program) == ("pass", "", "")
    assert re.fullmatch(r".*gnomon_probe\.py:\d+", result.kernels["neg"]), result.kernels
    assert (result.backend, result.check, result.operator) == ("probe", "forward", "neg")
    assert (result.dtype, result.tier) == ("float32", "pointwise")


def test_whose_score_it_is_is_told_everywhere(whole: SimpleNamespace) -> None:
    found = whole.data["environment"]
    assert whole.data["suite"] == SUITE_VERSION and found["suite"] == str(SUITE_VERSION)
    current = ".".join(map(str, CONTRACT_VERSION))
    assert found["contract"] == found["backend's contract"] == current
    line = (
        f"suite {SUITE_VERSION}, gnomon {found['gnomon']}, contract {current}, backend's contract {current}"
    )
    assert line in whole.done.stdout.splitlines()
    assert f" · {line.replace(chr(39), '&#x27;')}</small>" in (whole.folder / "report.html").read_text()
    root = xml.etree.ElementTree.parse(whole.folder / "junit.xml").getroot()
    for suite in root.iter("testsuite"):
        told = {each.get("name"): each.get("value") for each in suite.iter("property")}
        assert told["suite"] == str(SUITE_VERSION) and told["backend's contract"] == current
    other = {**whole.data, "suite": SUITE_VERSION + 1}
    assert report.unlike(whole.data, other) == [f"The suite differs: {SUITE_VERSION} and {SUITE_VERSION + 1}"]


def test_what_was_called_is_told(whole: SimpleNamespace) -> None:
    met = whole.data["coverage"]["add.Tensor"]
    assert {"float32, float32", "int64, int64"} <= set(met["dtypes"])
    assert {"contiguous", "mixed", "window", "varied"} <= set(met["layouts"])
    assert {"normal", "nonfinite", "extreme", "wide", "small"} - set(met["values"]) == {"wide"}
    assert met["dims"] == 9 and met["row"] >= 257 and met["elements"] >= 257 * 3  # sizes and dims
    assert met["calls"] > 300
    page_text = (whole.folder / "report.html").read_text()
    assert "<h2>What was called</h2>" in page_text
    assert f'<span title="{"; ".join(met["layouts"])}">{len(met["layouts"])}</span>' in page_text


def test_a_crash_costs_one_test(whole: SimpleNamespace) -> None:
    result = whole.results["forward[neg-int8]"]
    assert result.outcome == "fail"
    assert "Segmentation fault" in result.message and "gnomon_probe.py" in result.message
    assert "_pytest" not in result.message, "the trace goes down to the suite's own calls, and not beyond"
    assert result.message.startswith("neg, int8, layout contiguous, on probe\n")
    assert "gn.ops.aten.neg.default(t0)" in result.program and "dtype=gn.int8" in result.program
    assert len(result.program.splitlines()) <= 10
    assert result.kernels["neg"].endswith("gnomon_probe.py:9")
    assert result.is_bad


def test_a_crash_may_be_expected(whole: SimpleNamespace) -> None:
    result = whole.results["values[neg-int8]"]
    assert (result.outcome, result.known) == ("fail", "it crashes with these, too")
    assert not result.is_bad and "gn.ops.aten.neg.default" in result.program


def test_a_hang_costs_one_test(whole: SimpleNamespace) -> None:
    result = whole.results["forward[neg-int16]"]
    assert result.outcome == "fail"
    assert "it hangs" in result.message and "in faulty" in result.message
    assert "execnet" not in result.message


def test_known_failures_and_stale_claims(whole: SimpleNamespace) -> None:
    known = whole.results["forward[neg-int32]"]
    assert (known.outcome, known.known) == ("fail", "the first element is 5")
    assert not known.is_bad
    stale = whole.results["forward[neg-int64]"]
    assert stale.outcome == "stale claim" and "fixed long ago" in stale.message
    assert stale.is_bad


def test_the_report_says_what_a_search_depends_on(whole: SimpleNamespace) -> None:
    assert whole.data["environment"]["--seed"] == "1"
    assert whole.data["environment"]["--property-seconds"] == "1"
    assert "--seed" in (whole.folder / "report.html").read_text()
    failed = whole.results["property[neg]"]
    assert failed.outcome == "fail"  # some draws have a dtype that crashes or hangs


def test_a_failure_has_a_program_that_shows_it(whole: SimpleNamespace) -> None:
    program = whole.results["forward[neg-int32]"].program
    assert len(program.splitlines()) <= 10
    shown = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=whole.home,
        env=environment(whole.home, GNOMON_FALLBACK="allow"),
        timeout=1800,
    )
    assert shown.returncode == 0, shown.stderr
    reference, _, wrong = shown.stdout.partition("probe ")
    assert reference.removeprefix("reference ").split() != wrong.replace(", device='probe'", "").split()
    assert re.search(r"tensor\([\[ ]*5", wrong), wrong


def test_traits_and_layouts_are_not_claimed(whole: SimpleNamespace) -> None:
    missing = whole.results["forward[neg-float64]"]
    assert missing.outcome == "not claimed" and "float64" in missing.message
    # add.Tensor claims dense tensors only; other calls of it are not claimed
    strided = whole.results["forward[add.Tensor-int64]"]
    assert strided.outcome == "not claimed" and "add.Tensor" in strided.message
    assert "add.Tensor" in strided.kernels, "the dense calls ran natively"


def test_a_claim_without_a_kernel_fell_back(whole: SimpleNamespace) -> None:
    result = whole.results["forward[abs-int64]"]
    assert result.outcome == "fell back" and "claims abs" in result.message
    assert result.is_bad


def test_the_terminal_says_what_happened(whole: SimpleNamespace) -> None:
    text = whole.done.stdout
    assert re.search(r"^pointwise +\d+ +\d+", text, re.M)
    assert re.search(r"^fail: \S+\[\S+\]$", text, re.M)
    assert re.search(r"^\.\.\. and \d+ more; --report DIR has them all$", text, re.M)
    assert "forward[neg-int32]" not in text, "what is expected is not shown among the failures"
    assert f"The report: {whole.folder / 'report.html'}" in text
    last = re.search(
        r"^probe: (\d+) tests pass on its own kernels, ([\d.]+)% of those that it claims; ", text, re.M
    )
    assert last is not None and float(last.group(2)) == round(whole.data["score"] * 100, 2)
    passes = whole.data["origins"]
    assert sum(passes.values()) == whole.data["counts"]["pass"] and passes["not the backend's"]
    assert int(last.group(1)) == passes["own kernel"] + passes["composed"]
    said = f"of {len(whole.results)} tests, {passes['own kernel']} passed and ran the kernel under test, "
    assert said in text
    assert f"conform probe: {len(whole.results)} of {len(whole.results)}" in whole.done.stderr


def test_a_pass_says_whose_work_it_is(whole: SimpleNamespace) -> None:
    assert whole.results["forward[neg-float32]"].origin == "own kernel"
    assert whole.results["errors_agree[add.Tensor]"].origin == "not the backend's", (
        "it is refused before any kernel"
    )
    assert whole.results["inplace[neg_-int64]"].origin == "own kernel", "--ops brings the variants, too"
    assert "out[neg.out-float32]" in whole.results
    passes = [each for each in whole.results.values() if each.outcome == "pass"]
    assert all(bool(each.kernels) == (each.origin != "not the backend's") for each in passes)


@pytest.mark.parametrize(
    ("claimed", "problem"),
    [
        ({"ned": None}, "probe claims 'ned', but there is no such operator; did you mean 'neg'?"),
        ({"neg": ("single",)}, "probe claims 'neg' for 'single', but there is no such dtype"),
        (
            {"neg": Claim(("float32", "double"))},
            "probe claims 'neg' for 'double', but there is no such dtype",
        ),
        ({"neg": None, "add_.Tensor": None}, ""),
    ],
)
def test_a_claim_for_what_does_not_exist_is_an_error(claimed: dict[str, object], problem: str) -> None:
    backend = SimpleNamespace(name="probe", capabilities=claimed)
    assert selection.problem_of_claims(backend) == problem


def test_the_files_of_a_report(whole: SimpleNamespace) -> None:
    assert sorted(path.name for path in whole.folder.iterdir()) == [
        "badge.svg",
        "junit.xml",
        "report.html",
        "report.json",
    ]
    cases = list(xml.etree.ElementTree.parse(whole.folder / "junit.xml").getroot().iter("testcase"))
    failed = {each.attrib["name"] for each in cases if each.find("failure") is not None}
    assert failed == {name for name, each in whole.results.items() if each.is_bad}
    assert "neg" in {each.attrib["name"] for each in cases}
    svg = xml.etree.ElementTree.parse(whole.folder / "badge.svg").getroot()
    assert svg.attrib["aria-label"].startswith("gnomon: probe ")
    assert whole.data["schema"] == report.SCHEMA
    assert whole.data["environment"]["backend's version"] == "1.2"
    assert whole.data["selection"].startswith("--ops ")
    assert whole.data["tiers"]["pointwise"]["stale claim"] == 1


def test_a_report_is_small_and_comes_back() -> None:
    worst = {"ulps": 1.0, "allowed": 4.0, "where": "there"}
    passes = [
        Result("b", f"forward[o{number}-{dtype}]", "forward", f"o{number}", dtype, "memory", "pass", "", "",
               {f"o{number}": "file.py:1"}, 0.25, worst)
        for number in range(700)
        for dtype in ("float32", "int64", "float16")
    ]  # fmt: skip
    failed = passes[0]._replace(test="forward[x-float32]", operator="x", outcome="fail", message="why")
    blocks = Result("b", "blocks", "blocks", "", "", "memory", "pass", origin="not the backend's")
    made = report.Run("b", [*passes, failed, blocks], {}, [], {}, {}, "", 0.0, 1.0)
    data = report.as_data(made)
    text = json.dumps(report.compacted(data), separators=(",", ":"))
    assert len(text) < 55 * len(passes)
    back = report._expanded(json.loads(text))
    kept = [each for each in back["results"] if each["worst"] is not None]
    assert len(kept) == report.WORST_KEPT + 1
    assert [{**each, "worst": None} for each in back["results"]] == [
        {**each, "worst": None} for each in data["results"]
    ]


def test_each_entry_is_documented(whole: SimpleNamespace) -> None:
    text = (ROOT / "docs" / "conformance_report.md").read_text()
    for name in (*whole.data, *Result._fields, *OUTCOMES):
        assert f"`{name}`" in text, f"docs/conformance_report.md says nothing of {name}"


class Links(HTMLParser):
    """The references of a page to other files, its unclosed tags, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.names: set[str] = set()
        self.targets: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input", "br", "link", "img"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.names.add(str(value))
            if name in ("src", "href") and value:
                if value.startswith("#"):
                    self.targets.add(value[1:])
                else:
                    self.outside.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole(whole: SimpleNamespace) -> None:
    text = (whole.folder / "report.html").read_text("utf-8")
    links = Links()
    links.feed(text)
    assert links.open == [] and links.outside == [], "it is well-formed, and loads nothing"
    assert links.targets <= links.names
    assert "http" not in text.replace("http://www.w3.org", "")
    for shown in ("forward[neg-int8]", "the first element is 5", "gnomon_probe.py", "1.2"):
        assert shown in links.text or shown in text, shown
    assert "forward[neg-float32]" not in links.text.partition("Slowest")[0], (
        "what passes is counted, not listed"
    )


def test_strangers_text_is_escaped(whole: SimpleNamespace) -> None:
    bad = Result(
        "<b>", "t<i>", "c", "op<u>", "float32", "memory", "fail", "<script>x</script>", program="<s>"
    )
    known = bad._replace(test="t2<i>", known="<em>why</em>")
    made = report.Run("<b>", [bad, known], {"memory": "<q1>"}, [], {"<k>": "<v>"}, {}, "<sel>", 0.0, 1.0)
    text = page.html(report.as_data(made))
    for each in ("<b>gnomon", "t<i>", "op<u>", "<script>x", "<s>", "<em>", "<q1>", "<k>", "<v>", "<sel>"):
        assert each not in text, each
    assert "&lt;script&gt;x" in text and "<pre>&lt;s&gt;</pre>" in text
    assert "<b>" not in page.badge(report.as_data(made))


def test_a_score_is_never_rounded_up() -> None:
    good = Result("b", "t", "c", "o", "float32", "memory", "pass")
    results = [good._replace(test=str(number)) for number in range(99_999)]
    made = report.Run("b", [*results, good._replace(outcome="fail")], {}, [], {}, {}, "", 0.0, 1.0)
    assert "99.99 %" in page.badge(report.as_data(made)) and "100 % of" not in page.badge(
        report.as_data(made)
    )
    assert score([]) == (0.0, 0.0)
    assert counts([good]) == {outcome: int(outcome == "pass") for outcome in OUTCOMES}


def test_a_selection_without_a_kernel_has_no_score() -> None:
    viewed = Result("b", "t", "c", "o", "float32", "memory", "pass", origin="not the backend's")
    composed = viewed._replace(tier="pointwise", origin="composed")
    made = report.Run("b", [viewed, composed], {}, [], {}, {}, "", 0.0, 1.0)
    text = conform.summary(made)
    assert re.search(r"^memory +1 .* -$", text, re.M) and re.search(r"^pointwise +1 .* 100\.0%$", text, re.M)
    assert "of 2 tests, 0 passed and ran the kernel under test, 1 passed and ran other kernels" in text
    assert "or of tensors that are made of others, as sparse ones are" in text
    assert "b: 1 tests pass on its own kernels, 100.00% of those that it claims" in text
    alone = conform.summary(made._replace(results=[viewed]))
    assert alone.endswith("b: no test of this selection runs a kernel that it claims; no score")


def test_diff(whole: SimpleNamespace, tmp_path: Path) -> None:
    other = {**whole.data, "results": [dict(each) for each in whole.data["results"]]}
    changed = {each["test"]: each for each in other["results"]}
    changed["forward[neg-float32]"]["outcome"] = "fail"
    changed["forward[neg-int8]"]["outcome"] = "pass"
    changed["forward[neg-int16]"]["test"] = "forward[new]"
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other))
    before = str(whole.folder / "report.json")
    worse = run(tmp_path, "--diff", before, str(path))
    assert worse.returncode == 1
    assert worse.stdout.splitlines() == [
        "forward[neg-float32]: pass -> fail",
        "forward[neg-int16]: fail -> absent",
        "forward[neg-int8]: fail -> pass",
        "forward[new]: absent -> fail",
        "4 tests differ, 1 of them got worse",
    ]
    assert conform.main(["--diff", before, before]) == 0
    path.write_text("[]")
    with pytest.raises(SystemExit) as refused:
        conform.main(["--diff", before, str(path)])
    assert refused.value.code == 2


def test_what_passed_and_is_gone_is_worse() -> None:
    before = {"backend": "c", "selection": "", "results": [{"test": "forward[neg]", "outcome": "pass"}]}
    after = {"backend": "d", "selection": "--full", "results": []}
    (change,) = report.compare(before, after)
    assert change.is_worse
    assert not report.compare(after, before)[0].is_worse
    assert report.unlike(before, before) == []
    assert report.unlike(before, after) == [
        "The backend differs: c and d",
        "The selection differs: none and --full",
    ]


def test_all_good_is_status_0(probe: Path) -> None:
    chosen = ("--ops", r"^add\.Tensor$", "--dtypes", "float32", "--tier", "pointwise")
    done = run(probe, "probe", *chosen, "-n", "1", "--property-seconds", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100.00% of those that it claims" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "the name of a backend is required"),
        (["no_such_backend"], "no_such_backend"),
        (["reference", "-n", "0"], "at least 1 worker"),
        (["reference", "--tier", "nothing"], "invalid choice"),
        (["reference", "--ops", "("], "is not a valid regular expression"),
        (["reference", "--ops", "no_such"], "no operator's name matches"),
        (["reference", "--hang-limit", "0"], "more than 0 seconds"),
        (["reference", "--report", __file__], "--report: "),
    ],
)
def test_wrong_commands(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        conform.main(arguments)
    assert refused.value.code == 2
    assert text in capsys.readouterr().err


def test_expectations_are_read() -> None:
    found = parse("fail  out[*-complex64]  on the way\n#x\n\nloosen exp float32 8 the vendor's\n")
    assert found.reason("out[add.out-complex64]") == "on the way"
    assert found.reason("out[add.out-complex128]") == ""
    assert found.reason("forward[add.Tensor-float32]") == ""
    loosened = found.loosening("exp", "float32")
    assert loosened is not None and (loosened.ulps, loosened.reason, loosened.line) == (
        8.0,
        "the vendor's",
        4,
    )
    assert found.loosening("exp", "float64") is None and found.loosening("expm1", "float32") is None


@pytest.mark.parametrize(
    "line", ["fail forward[neg]", "loosen exp float32 many reason", "loosen exp float32 8", "ignore x y"]
)
def test_a_line_without_a_reason_is_refused(line: str) -> None:
    with pytest.raises(ExpectationsError, match=r"mine\.txt, line 2: expected 'fail TEST REASON'"):
        parse(f"# first\n{line}\n", "mine.txt")


def test_every_family_has_a_tier_and_no_tier_rests_on_itself() -> None:
    from gnomon_conformance import expressions, samples

    for package in (samples, expressions):
        for path in Path(package.__file__).parent.glob("[!_]*.py"):
            assert path.stem in {family for families in tiers.FAMILIES.values() for family in families}, path
    for tier in tiers.TIERS:
        assert tier not in tiers.rests_on(tier)
        assert all(tiers.order_of(below) < tiers.order_of(tier) for below in tiers.rests_on(tier))
    assert tiers.rests_on("models") >= {"memory", "pointwise", "autograd"}
    assert set(foundation.CALLS) == set(tiers.TIERS)


def test_foundations_of_a_backend_that_crashes(probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tier gets a result, even after an earlier one crashed."""
    monkeypatch.setenv("PYTHONPATH", environment(probe)["PYTHONPATH"])
    (probe / "gnomon_falls.py").write_text(
        "from gnomon_hello import Hello, add\nimport os\n\n"
        "def falls(iterator):\n    os.abort()\n\n"
        "class Falls(Hello):\n    name = device_type = 'falls'\n"
        "    kernels = {'add.Tensor': lambda iterator, alpha: add(iterator, alpha + 1), 'exp': falls}\n"
        "    capabilities = {'add.Tensor': None, 'exp': None}\n"
    )
    information = probe / "gnomon_falls-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: gnomon_falls\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[gnomon.backends]\nfalls = gnomon_falls:Falls\n")
    found = dict(foundation.check("falls"))
    assert list(found) == list(tiers.TIERS)
    assert found["memory"] == "" and found["reductions"] == ""
    assert "add.Tensor" in found["pointwise"] and "To reproduce" in found["pointwise"]
    assert "add.Tensor" in found["threads"]


def test_what_rests_on_a_broken_foundation_is_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = verdicts.Subject("reference", "gradient[neg-float32]", "gradient", "neg", "float32", "autograd")
    item = SimpleNamespace(
        stash=pytest.Stash(), iter_markers=lambda name: [], config=SimpleNamespace(stash=pytest.Stash())
    )
    monkeypatch.setattr(verdicts, "subject_of", lambda item: subject)
    item.config.stash[verdicts.foundations_key] = {"reference": {"pointwise": "wrong", "memory": ""}}
    with pytest.raises(pytest.skip.Exception, match="blocked: the foundation of 'pointwise' fails"):
        verdicts.begin(item)
    item.config.stash[verdicts.foundations_key] = {"reference": {"autograd": "wrong"}}
    verdicts.begin(item)  # the tests of the broken tier itself run, to show what is wrong


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("fail forward[sin-float32] why", ""),
        ("fail out[*-complex64] why", ""),
        ("fail *exp* why", ""),
        ("fail *-bfloat16] why", ""),
        ("fail forward[{sin,exp}-float32] why", ""),
        (
            "fail forward[{sine,exq}-float32] why",
            "line 1: no test has a name like 'forward[{sine,exq}-float32]'",
        ),
        ("fail blocks why", ""),
        ("fail model[perceptron-float32] why", ""),
        ("fail expressions[nn.functional.pad] why", ""),
        ("loosen exp float32 8 why", ""),
        ("fail forward[sin-nosuch] why", "line 1: no test has a name like 'forward[sin-nosuch]'"),
        ("fail fordward[sin-float32] why", "line 1: no test has a name like 'fordward[sin-float32]'"),
        ("fail *[sine-*] why", "line 1: no test has a name like '*[sine-*]'"),
        ("loosen exq float32 8 why", "line 1: there is no operator 'exq'"),
        ("loosen exp single 8 why", "line 1: there is no dtype 'single'"),
    ],
)
def test_lines_that_mean_nothing(line: str, problem: str) -> None:
    assert known_names.strangers(parse(line)) == ([problem] if problem else [])


def test_a_line_that_means_nothing_stops_the_run(probe: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("\nfail forward[ned-int8] why\n")
    done = run(probe, "probe", "--ops", "^neg$", "--expectations", str(wrong))
    assert done.returncode == 2
    assert "line 2: no test has a name like 'forward[ned-int8]'" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("nodeid", "backends", "name", "operator", "dtype"),
    [
        ("x/test_forward.py::test_forward[neg-int8-my-gpu]", ["my-gpu"], "forward[neg-int8]", "neg", "int8"),
        ("test_forward.py::test_forward[neg-int8-c]", ["numpy", "c"], "forward[neg-int8]", "neg", "int8"),
        ("test_expressions.py::test_backend[c-nn.functional.pad]", ["c"], "expressions[nn.functional.pad]",
         "nn.functional.pad", ""),
        ("test_memory.py::test_blocks[my-gpu]", ["my-gpu"], "blocks", "", ""),
    ],
)  # fmt: skip
def test_a_crashed_test_is_known_by_its_name(
    nodeid: str, backends: list[str], name: str, operator: str, dtype: str
) -> None:
    found = verdicts.crashed(nodeid, backends, "why")
    assert found is not None
    assert (found.test, found.operator, found.dtype) == (name, operator, dtype)
    assert (found.backend, found.outcome, found.message) == (backends[-1], "fail", "why")
    assert verdicts.crashed("test_mine.py::test_it[other]", backends, "why") is None


def test_a_backend_that_is_called_as_a_word_of_an_error():
    """``torch.hsplit`` in a message is not a device, whatever the backend's name."""
    text = "torch.hsplit on torch, not torch.  It is on torch:0, torch.5"
    expected = "torch.hsplit on reference, not reference.  It is on reference:0, torch.5"
    assert renamed_device(text, "torch") == expected
    assert renamed_device("a torches' gnomon_torch", "torch") == "a torches' gnomon_torch"


@pytest.mark.parametrize("layout", ["Sparse", "SparseCsr"])
def test_a_layout_and_a_backend_in_one_word(layout: str) -> None:
    """An error that says so does not differ from the reference's by the device's name."""
    text = f"arguments from the '{layout}{{}}' backend"
    assert renamed_device(text.format("JAX"), "jax") == text.format("CPU")
    assert renamed_device(text.format("JAX"), "torch") == text.format("JAX")
