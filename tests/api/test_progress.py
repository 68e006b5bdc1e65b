from __future__ import annotations

from rankmax.api.progress import Progress


def test_the_default_shows_nothing(capsys) -> None:
    progress = Progress()
    with progress.stage("Reading", total=1) as stage:
        stage.advance()
        stage.say("still reading")
    progress.note("a remark")
    assert capsys.readouterr() == ("", "")
