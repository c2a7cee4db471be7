from __future__ import annotations

from pathlib import Path

import pytest

from ingest.extract.from_rst import extract_rst


def extracted_text(rst: str) -> str:
    return extract_rst(rst.encode()).text


def test_underlined_titles_open_sections() -> None:
    result = extract_rst(b"Guide\n=====\n\nIntro.\n\nInstall\n-------\n\nRun.\n\nUse\n---\n\nGo.\n")
    assert result.title == "Guide"
    assert [section.path for section in result.sections] == [(), ("Install",), ("Use",)]


def test_roles_that_only_sphinx_knows_become_their_text() -> None:
    text = extracted_text("See :ref:`the guide <guide>`, :py:func:`~os.path.join` and ``x = 1``.")
    assert text == "See the guide, os.path.join and x = 1."


def test_the_content_of_unknown_directives_is_kept() -> None:
    text = extracted_text(".. versionchanged:: 2.1\n   Is *faster* now.\n\n.. tab:: Linux\n\n   - apt\n   - yum\n")
    assert text == "2.1\n\nIs faster now.\n\nLinux\n\n- apt\n- yum"


def test_code_in_directives_is_code_whoever_defined_them() -> None:
    text = extracted_text(".. code-block:: python\n\n   a = 1\n\n     b\n\n.. doctest-skip::\n\n    >>> go()\n")
    assert text == "    a = 1\n\n      b\n\n    >>> go()"


def test_generated_lists_are_left_out() -> None:
    assert (
        extracted_text("x\n\n.. toctree::\n   :maxdepth: 2\n\n   install\n\n.. automodule:: a.b\n   :members:\n") == "x"
    )


@pytest.mark.parametrize(
    "directive",
    [
        ".. include:: {file}",
        ".. literalinclude:: {file}",
        ".. raw:: html\n   :file: {file}",
        ".. csv-table:: T\n   :file: {file}",
        ".. code-block::\n   :include: {file}",
    ],
)
def test_no_other_file_is_read(directive: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    assert "hunter2" not in extracted_text("Text.\n\n" + directive.format(file=secret))


def test_raw_output_is_not_taken_over() -> None:
    assert extracted_text("a\n\n.. raw:: html\n\n   <script>alert(1)</script>\n\nb") == "a\n\nb"


def test_damaged_markup_prints_nothing_and_keeps_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert "broken" in extracted_text("Title\n==\n\n*broken\n\n  |x| `\n\n.. image::\n")
    assert capsys.readouterr() == ("", "")


def test_lists_definitions_fields_and_options_become_items() -> None:
    text = extracted_text(
        "4. four\n5. five\n\n   more\n\nproxy\n   A server between.\n\n:Author: me\n\n-o FILE  Write to it.\n"
    )
    assert text == "4. four\n5. five\n  more\n- proxy: A server between.\n- Author: me\n- -o FILE: Write to it."


def test_admonitions_say_what_they_are() -> None:
    assert extracted_text(".. warning:: Mind the gap.\n\n   It is wide.") == "Warning: Mind the gap.\n\nIt is wide."


def test_tables_become_rows() -> None:
    text = extracted_text("===== =====\nCode  Means\n===== =====\n404   gone\n500   broken\n===== =====\n")
    assert text == "Code | Means\n404 | gone\n500 | broken"


def test_comments_targets_and_substitutions_are_no_text() -> None:
    text = extracted_text(".. a comment\n\n.. _here:\n\n.. |v| replace:: 1.2\n\nVersion |v|, see here_.")
    assert text == "Version 1.2, see here."
