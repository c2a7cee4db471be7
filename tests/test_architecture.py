"""The house rules that a program can check."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("core", "connectors", "ingest", "plugin")
MODEL_LIBRARIES = (
    "torch",
    "transformers",
    "sentence_transformers",
    "spacy",
    "presidio_analyzer",
    "chromadb",
    "tantivy",
)


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after `statement`."""
    code = f"import sys; {statement}; print(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import plugin.web.app", "import plugin.cli", "import plugin.bootstrap"])
def test_importing_the_product_loads_no_model_library(statement: str) -> None:
    assert not loaded_by(statement) & set(MODEL_LIBRARIES)


def test_help_needs_no_database_and_no_web_server() -> None:
    assert not loaded_by("import plugin.cli") & {"sqlalchemy", "flask", "waitress"}


def test_no_other_distribution_owns_a_file_under_our_names() -> None:
    """Plain top-level names are safe only while nobody else uses them (ADR 2)."""
    owners = importlib.metadata.packages_distributions()
    assert {name: owners[name] for name in OURS if owners.get(name, ["citedesk"]) != ["citedesk"]} == {}


def test_only_settings_read_the_environment() -> None:
    """`bootstrap.quiet_libraries` may set variables for libraries, nobody else touches them."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in python_files()
        if re.search(r"os\.(environ|getenv)", path.read_text())
    }
    assert readers <= {"plugin/settings.py", "plugin/bootstrap.py", "connectors/models/embedder.py"}


def test_no_function_is_longer_than_forty_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {length}"
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        and (length := (node.end_lineno or 0) - (node.body[1] if documented(node) else node.body[0]).lineno + 1) > 40
    ]
    assert long == []


def documented(node: ast.FunctionDef) -> bool:
    return ast.get_docstring(node) is not None and len(node.body) > 1


def test_broad_excepts_stand_only_at_the_edges() -> None:
    broad = {
        path.relative_to(ROOT).as_posix()
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and (node.type is None or getattr(node.type, "id", "") == "Exception")
    }
    assert broad <= {"plugin/cli.py", "plugin/worker/tasks.py", "plugin/worker/embedded.py", "plugin/web/errors.py"}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in python_files()
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def python_files() -> list[Path]:
    return [path for name in OURS for path in (ROOT / name).rglob("*.py") if "versions" not in path.parts]


def test_the_readme_names_only_targets_and_commands_that_exist() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"make ([a-z][a-z-]*)", readme)) - {"and"}
    assert targets <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"demo", "test"} <= targets


def test_every_link_between_our_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_only_one_module_reads_the_vault_and_few_put_values_back() -> None:
    """So no reading can be left out of the ledger: `load` of a vault is called in `read_vault` alone."""
    assert calls_of("load", on="vault") == {"core/usecases/read_vault.py"}
    assert calls_of("read_vault") == {
        "core/usecases/draft_reply.py",
        "core/usecases/review_draft.py",
        "core/usecases/send_reply.py",
    }
    assert calls_of("search_vault") == {"core/usecases/erase_person.py", "core/usecases/forget_maps.py"}
    assert calls_of("restore") == {
        "core/usecases/review_draft.py",
        "core/usecases/send_reply.py",
        "plugin/web/review_page.py",
    }


def calls_of(name: str, on: str = "") -> set[str]:
    """The modules that call a function of this name, or a method of this name of something called `on`."""
    found = set()
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _is_call_of(node.func, name, on):
                found.add(path.relative_to(ROOT).as_posix())
    return found


def _is_call_of(called: ast.expr, name: str, on: str) -> bool:
    if isinstance(called, ast.Attribute) and called.attr == name:
        owner = called.value
        return not on or getattr(owner, "attr", getattr(owner, "id", "")) == on
    return not on and isinstance(called, ast.Name) and called.id == name
