"""tools/site: the pages it makes, and the links that it finds broken."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "tools" / "site"


@pytest.fixture(scope="module")
def site() -> Any:
    """The modules of tools/site."""
    before = set(sys.modules)
    sys.path.insert(0, str(SITE))
    try:
        import links  # type: ignore[import-not-found]
        import markdown_pages  # type: ignore[import-not-found]
        import operator_pages  # type: ignore[import-not-found]

        yield type("Site", (), {"links": links, "pages": markdown_pages, "operators": operator_pages})
    finally:
        sys.path.remove(str(SITE))
        for name in ("links", "markdown_pages", "operator_pages"):
            if name not in before:
                sys.modules.pop(name, None)


def test_broken_links_are_found(site: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.html").write_text(
        '<h1 id="top-of-a">a</h1><a href="folder/b.html#there">1</a><a href="folder/b.html#nowhere">2</a>'
        '<a href="gone.html">3</a><a href="https://example.org/x">4</a><a href="#top-of-a">5</a>'
        '<a href="#lost">6</a><img src="gone.png"><a href="folder/">7</a>'
        '<script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "folder" / "b.html").write_text('<p name="there">b</p><a href="../a.html">1</a>')
    (tmp_path / "folder" / "index.html").write_text("")
    assert site.links.broken(tmp_path) == [
        "a.html: folder/b.html#nowhere: there is no such anchor",
        "a.html: gone.html: there is no such file",
        "a.html: #lost: there is no such anchor",
        "a.html: gone.png: there is no such file",
        "a.html: https://example.org/x.js: needs the network",
    ]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository."""
    root = tmp_path / "repository"
    for name, text in {
        "README.md": "# A\n\n[docs](docs/README.md), [code](pkg/code.py), [the `pkg`](pkg), [out](https://x.org)\n",
        "CONTRIBUTING.md": "# C\n\n[back](README.md#a)\n",
        "CHANGELOG.md": "# D\n",
        "SECURITY.md": "# S\n",
        "docs/README.md": "# Docs\n\n## Part\n\n| page | |\n|---|---|\n| [one.md](one.md) | x |\n"
        "| [tour](tour/README.md) | y |\n",
        "docs/one.md": '# One\n\n![p](p.svg) [d](d.json) <img src="q.png">\n\n```python\n[n](a.link)\n```\n',
        "docs/tour/README.md": "# Tour\n",
        "docs/tour/01_first.md": "# First\n\n[up](../../README.md) [one](../one.md#one)\n",
        "docs/p.svg": "<svg/>",
        "docs/d.json": "{}",
        "docs/q.png": "q",
        "pkg/code.py": "x = 1\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_links_lead_to_the_files_of_the_site(site: Any, repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "pages"
    pages = site.pages.Pages(repository, target)
    pages.copy()
    pages.write_index()
    index = (target / "index.md").read_text()
    assert '[docs](docs/README.md), <a href="source/pkg/code.py.html">code</a>' in index
    assert '<a href="source/pkg.html">the <code>pkg</code></a>, [out](https://x.org)' in index
    assert ":caption: Part\n\ndocs/one\ndocs/tour/README\ndocs/tour/01_first\n" in index
    assert ":caption: The project\n\nCONTRIBUTING\nCHANGELOG\nSECURITY\ndocs/README\n" in index
    assert "[back](index.md#a)" in (target / "CONTRIBUTING.md").read_text()
    assert "[up](../../index.md) [one](../one.md#one)" in (target / "docs/tour/01_first.md").read_text()
    one = (target / "docs/one.md").read_text()
    assert '<a href="d.json">d</a>' in one and "[n](a.link)" in one and "![p](p.svg)" in one
    assert (target / "docs/p.svg").read_text() == "<svg/>"
    pages.copy_raw_files(tmp_path / "extra")
    assert (tmp_path / "extra/docs/d.json").read_text() == "{}"
    assert (tmp_path / "extra/docs/q.png").read_text() == "q"


def test_a_link_to_nothing_is_an_error(site: Any, repository: Path, tmp_path: Path) -> None:
    (repository / "docs/one.md").write_text("[x](gone.md)")
    with pytest.raises(FileNotFoundError, match=r"docs/one\.md links to gone\.md"):
        site.pages.Pages(repository, tmp_path / "pages").copy()


def test_the_page_of_an_operator(site: Any, tmp_path: Path) -> None:
    site.operators.write(tmp_path, ROOT, "^(softmax|add|add_|_softmax)$")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "_softmax.md",
        "add.md",
        "index.md",
        "softmax.md",
    ]
    page = (tmp_path / "add.md").read_text()
    assert "`gn.add`, `Tensor.add`" in page and "Computes ``self + alpha * other``." in page
    assert "\n## Speed\n" in page and "| dispatch | add |" in page
    assert "`add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`" in page
    assert '<a href="../source/reference/gnomon/ops/' in page
    assert "<code><a href=" in page and "`<a href" not in page
    assert "[softmax](softmax.md)" in (tmp_path / "index.md").read_text()


def test_rows_of_benchmarks_by_operator(site: Any) -> None:
    found = site.operators._speeds(
        "## g\n\n| work | A | c |\n|---|---|---|\n| exp, 10 | 1 us | 2 us, 2.0 |\n| x | |\n"
    )
    assert found == {"exp": [("g", ["work", "A", "c"], ["exp, 10", "1 us", "2 us, 2.0"])]}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with the pages of some operators."""
    for name in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("site")
    only = "^(add|softmax|_softmax|sum|linalg_inv|conv2d|exp|relu|matmul)$"
    done = subprocess.run(
        [sys.executable, str(SITE), str(folder), "--only", only], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]  # no warnings, no broken links
    return folder / "html"


@pytest.mark.slow
def test_the_site(built: Path) -> None:
    for name in (
        "index",
        "docs/architecture",
        "operators/softmax",
        "interface/gnomon.nn",
        "search",
        "source/index",
    ):
        assert (built / f"{name}.html").is_file(), name
    assert "docs/tour/01_tensor_storage_strides.html" in (built / "index.html").read_text()
    text = (built / "operators/softmax.html").read_text()
    assert "Decomposition" in text and "../source/reference/gnomon/ops/nn/softmax.py.html#L" in text
    assert 'id="gnomon.nn.Linear"' in (built / "interface/gnomon.nn.html").read_text()


@pytest.mark.slow
def test_the_site_in_a_browser(built: Path) -> None:
    """It is opened from the disk: search, dark mode, a phone."""
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no browser")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((built / "search.html").as_uri() + "?q=softmax")
        page.wait_for_selector("#search-results li a")
        found = page.eval_on_selector_all("#search-results li a", "all => all.map(each => each.textContent)")
        assert any("softmax" in each for each in found), found
        page.goto((built / "index.html").as_uri())
        assert "gnomon" in page.title()
        light = page.eval_on_selector("body", "body => getComputedStyle(body).backgroundColor")
        page.emulate_media(color_scheme="dark")
        assert page.eval_on_selector("body", "body => getComputedStyle(body).backgroundColor") != light
        page.set_viewport_size({"width": 360, "height": 740})
        for name in ("index", "docs/operators", "operators/add", "docs/tour/01_tensor_storage_strides"):
            page.goto((built / f"{name}.html").as_uri())
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 360, f"{name} is {width} pixels wide on a phone"
        chromium.close()
    assert errors == []
