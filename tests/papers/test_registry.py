"""What holds for every paper."""

from __future__ import annotations

import pytest

from rankmax.errors import UnknownNameError
from rankmax.papers.registry import PAPERS, paper_named
from rankmax.papers.running import shipped_results


@pytest.mark.parametrize("name", PAPERS)
class TestPaper:
    def test_claims_belong_to_exhibits_and_say_where_they_stand(self, name: str) -> None:
        paper = paper_named(name)
        assert {claim.exhibit for claim in paper.claims} <= {exhibit.name for exhibit in paper.exhibits}
        assert all(claim.where and claim.says for claim in paper.claims)
        assert len({claim.id for claim in paper.claims}) == len(paper.claims)

    def test_has_a_page_for_people(self, name: str) -> None:
        assert (paper_named(name).folder / "README.md").read_text(encoding="utf-8").startswith("# ")

    def test_shipped_results_give_a_verdict_on_every_claim_of_their_exhibit(self, name: str) -> None:
        paper = paper_named(name)
        for exhibit in paper.exhibits:
            stored = shipped_results(paper, exhibit.study)
            if stored is not None:
                assert not stored.settings["small"]
                report = paper.report(exhibit, stored.values)
                assert set(report.findings) == {claim.id for claim in paper.claims_of(exhibit)}

    def test_nothing_found_is_nothing_tested(self, name: str) -> None:
        paper = paper_named(name)
        for exhibit in paper.exhibits:
            findings = paper.report(exhibit, {}).findings
            assert {finding.verdict for finding in findings.values()} <= {"not tested"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="morgan2004"):
        paper_named("morgan")
    with pytest.raises(UnknownNameError, match="table-1"):
        paper_named("morgan2004").exhibit("table-9")
