"""What a release rests on: the release check, the workflows, the citation file, the issue forms and the links."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from check_release import FILLED_BY_THE_PUBLISHER, TO_BE_FILLED, problems
from check_wheel import SDIST_TOP
from rankmax._version import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON_VERSIONS = [
    match[1] for name in PROJECT["classifiers"] if (match := re.fullmatch(r".*Python :: (\d+\.\d+)", name))
]

# The keys that schema 1.2.0 of the Citation File Format allows at the top, and in an author that is no person.
CITATION_KEYS = {
    *("abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers", "keywords"),
    *("license", "license-url", "message", "preferred-citation", "references", "repository", "repository-artifact"),
    *("repository-code", "title", "type", "url", "version"),
}
ENTITY_KEYS = {
    *("address", "alias", "city", "country", "date-end", "date-start", "email", "fax", "location", "name", "orcid"),
    *("post-code", "region", "tel", "website"),
}


def read_yaml(name: str) -> dict[Any, Any]:
    """Return the content of one of GitHub's files, which a source distribution leaves out."""
    if not (path := ROOT / ".github" / name).exists():
        pytest.skip("not a repository, so GitHub's files are absent")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


class TestReleaseCheck:
    @pytest.fixture
    def ready(self, tmp_path: Path) -> Path:
        """Return a repository that is ready for version 1.2.3."""
        (tmp_path / "src" / "rankmax").mkdir(parents=True)
        (tmp_path / "src" / "rankmax" / "_version.py").write_text('"""Version."""\n\n__version__ = "1.2.3"\n')
        (tmp_path / "CITATION.cff").write_text('title: "x"\nversion: "1.2.3"\ndate-released: "2030-01-02"\n')
        (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.3] - 2030-01-02\n\n## [1.2.2] - 2029-01-01\n")
        (tmp_path / "pyproject.toml").write_text('[project.urls]\nSource = "https://example.org"\n')
        (tmp_path / "CODE_OF_CONDUCT.md").write_text("Contact: someone@example.org\n")
        return tmp_path

    def test_a_repository_that_is_ready_passes(self, ready: Path) -> None:
        assert problems("v1.2.3", ready) == []

    @pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3.dev0", "vnext"])
    def test_a_tag_that_names_no_release_is_refused(self, ready: Path, tag: str) -> None:
        assert [problem.startswith(f"{tag} is no tag") for problem in problems(tag, ready)] == [True]

    @pytest.mark.parametrize(
        ("file", "old", "new", "said"),
        [
            ("src/rankmax/_version.py", "1.2.3", "1.2.3.dev0", "_version.py says 1.2.3.dev0"),
            ("CITATION.cff", 'version: "1.2.3"', 'version: "1.2.2"', "says version 1.2.2"),
            ("CITATION.cff", "2030-01-02", "2030-01-03", "says date-released 2030-01-03"),
            ("CITATION.cff", 'date-released: "2030-01-02"\n', "", "says date-released None"),
            ("CHANGELOG.md", "## [1.2.3]", "## [Unreleased]\n\n## [1.2.3]", "begins with '[Unreleased]'"),
            ("pyproject.toml", "[project.urls]", "[project]\n[other]", "no [project.urls]"),
            ("pyproject.toml", "[project.urls]", f"# {TO_BE_FILLED}\n[project.urls]", TO_BE_FILLED),
            ("CODE_OF_CONDUCT.md", "someone@example.org", f"({TO_BE_FILLED})", TO_BE_FILLED),
        ],
    )
    def test_each_thing_that_is_missing_is_said(self, ready: Path, file: str, old: str, new: str, said: str) -> None:
        text = (ready / file).read_text()
        assert old in text
        (ready / file).write_text(text.replace(old, new))
        (problem,) = problems("v1.2.3", ready)
        assert said in problem
        assert file in problem

    def test_a_changelog_without_a_date_is_refused(self, ready: Path) -> None:
        (ready / "CHANGELOG.md").write_text("## [1.2.3], not released yet\n")
        assert "CHANGELOG.md begins with '[1.2.3], not released yet'" in problems("v1.2.3", ready)[0]

    def test_the_places_for_the_publisher_are_marked_or_filled(self) -> None:
        conduct, project = ((ROOT / name).read_text(encoding="utf-8") for name in reversed(FILLED_BY_THE_PUBLISHER))
        assert TO_BE_FILLED in conduct or "@" in conduct
        assert (TO_BE_FILLED in project) == ("urls" not in PROJECT)


class TestMetadata:
    def test_the_python_versions_are_those_that_may_install(self) -> None:
        assert PROJECT["requires-python"] == f">={PYTHON_VERSIONS[0]}"
        assert sorted(PYTHON_VERSIONS, key=lambda version: int(version.split(".")[1])) == PYTHON_VERSIONS

    def test_the_source_distribution_has_every_page_of_the_top_folder(self) -> None:
        assert {path.name for path in ROOT.glob("*.md")} <= SDIST_TOP

    def test_the_changelog_begins_with_this_version(self) -> None:
        headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert headings[0].startswith(f"[{__version__.partition('.dev')[0]}]")
        assert len(headings) == len({heading[: heading.find("]")] for heading in headings}), "a version twice"


class TestCitation:
    @pytest.fixture
    def citation(self) -> dict[str, Any]:
        content: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        return content

    def test_it_keeps_to_the_citation_file_format(self, citation: dict[str, Any]) -> None:
        assert {"authors", "cff-version", "message", "title"} <= set(citation) <= CITATION_KEYS
        assert citation["cff-version"] == "1.2.0"
        assert citation["type"] in {"software", "dataset"}
        for author in citation["authors"]:
            assert {"name"} <= set(author) <= ENTITY_KEYS
        for key in ("message", "title", "abstract", "version"):
            assert isinstance(citation[key], str), f"{key} needs quotes"
            assert citation[key]
        assert len(set(citation["keywords"])) == len(citation["keywords"])
        if "date-released" in citation:
            date.fromisoformat(citation["date-released"])

    def test_it_agrees_with_the_package(self, citation: dict[str, Any]) -> None:
        assert citation["version"] == __version__
        assert citation["license"] == PROJECT["license"]
        assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


class TestWorkflows:
    def test_changes_are_tested_on_every_python_version_by_make_test(self) -> None:
        job = read_yaml("workflows/ci.yml")["jobs"]["test"]
        assert job["strategy"]["matrix"]["python"] == PYTHON_VERSIONS
        assert job["steps"][-1]["run"] == "make test"

    def test_changes_are_measured_for_coverage_beside_that(self) -> None:
        job = read_yaml("workflows/ci.yml")["jobs"]["coverage"]
        assert "needs" not in job
        assert job["steps"][-1]["run"] == "make coverage"

    def test_the_wheel_is_tested_on_every_system_and_python_version(self) -> None:
        job = read_yaml("workflows/release.yml")["jobs"]["test"]
        matrix = job["strategy"]["matrix"]
        assert matrix["python"] == PYTHON_VERSIONS
        assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}

    def test_the_tests_that_the_release_runs_exist(self) -> None:
        commands = " ".join(step.get("run", "") for step in read_yaml("workflows/release.yml")["jobs"]["test"]["steps"])
        named = re.findall(r"\b(?:tests|tools)/[\w./]+", commands)
        assert len(named) > 3
        assert [name for name in named if not (ROOT / name).exists()] == []

    def test_only_tested_distributions_are_published_and_only_for_a_tag(self) -> None:
        workflow = read_yaml("workflows/release.yml")
        jobs = workflow["jobs"]
        assert [jobs[job]["needs"] for job in ("publish", "test", "kernels")] == ["test", "kernels", "build"]
        assert jobs["publish"]["if"] == "github.event_name == 'push'"
        assert workflow[True]["push"] == {"tags": ["v*"]}  # YAML 1.1 reads the key "on" as true

    def test_the_right_to_publish_is_held_by_one_job_and_no_secret_is_used(self) -> None:
        workflow = read_yaml("workflows/release.yml")
        assert workflow["permissions"] == read_yaml("workflows/ci.yml")["permissions"] == {"contents": "read"}
        rights = {name: job.get("permissions") for name, job in workflow["jobs"].items()}
        assert rights == {"build": None, "kernels": None, "test": None, "publish": {"id-token": "write"}}
        assert workflow["jobs"]["publish"]["environment"] == "pypi"
        assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")

    def test_what_is_downloaded_is_what_was_uploaded(self) -> None:
        steps = [step for job in read_yaml("workflows/release.yml")["jobs"].values() for step in job["steps"]]
        uploaded, downloaded = (
            [step["with"] for step in steps if f"/{way}-artifact@" in step.get("uses", "")]
            for way in ("upload", "download")
        )
        assert len(uploaded) == 2
        assert all(one["name"].startswith("distributions-") and one["path"] == "dist/" for one in uploaded)
        assert [(one.get("name"), one.get("pattern"), one["path"]) for one in downloaded] == [
            ("distributions-source", None, "source/"),
            (None, "distributions-*", "dist/"),
            (None, "distributions-*", "dist/"),
        ]


class TestIssueForms:
    @pytest.mark.parametrize("name", ["bug", "feature", "wrong-number"])
    def test_a_form_asks_for_something_under_unique_names(self, name: str) -> None:
        form = read_yaml(f"ISSUE_TEMPLATE/{name}.yml")
        assert {"name", "description", "body"} <= set(form)
        assert {part["type"] for part in form["body"]} <= {"markdown", "textarea", "input", "dropdown", "checkboxes"}
        asked = [part for part in form["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in asked}) == len(asked)
        assert all(part["attributes"]["label"] for part in asked)
        assert any(part.get("validations", {}).get("required") for part in asked)


@pytest.mark.parametrize("page", sorted(path.name for path in ROOT.glob("*.md")))
def test_links_of_the_top_pages_lead_to_files(page: str) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (ROOT / link).exists()] == []
