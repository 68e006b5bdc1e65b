"""What surrounds the pages: addresses, files, other tabs, other sites, a server that goes away, two widths."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project


def test_a_view_can_be_linked(server, open_page) -> None:
    view = "#page=ranking&metric=AP&reference=feature%3Af1&order=loss&search=number&query=q2&opened=d20&w=f1=1,f3=2"
    page = open_page(server, view)
    page.wait_for_selector("#parts")
    page.fill("#queries", "q1*, q2")
    page.keyboard.press("Enter")
    page.wait_for_selector("#size:has-text('12 queries')")
    page.click("nav >> text=Learn")
    page.fill("#option-seed", "9")
    page.click("nav >> text=Weights")
    page.fill("[aria-label='Find a feature']", "f3")
    page.wait_for_address()
    linked = open_page(server, f"#{page.url.partition('#')[2]}")
    assert linked.locator("[data-feature]").count() == 1
    assert linked.inner_text("#reading") == page.inner_text("#reading")
    linked.click("nav >> text=Learn")
    assert linked.input_value("#option-seed") == "9"
    linked.click("nav >> text=Ranking")
    linked.wait_for_selector("#parts")
    page.go_back()
    page.wait_for_selector("#start")
    page.go_back()
    page.wait_for_selector("#parts")
    assert page.inner_text("#both") == linked.inner_text("#both")


def test_an_empty_project_gets_its_first_file(tmp_path: Path, open_page) -> None:
    with StudioServer(Project.at(tmp_path), port=0).in_background() as studio:
        page = open_page(studio, "")
        page.wait_for_selector("text=There is no data")
        page.set_input_files("#upload", {"name": "bad.txt", "mimeType": "text/plain", "buffer": b"x"})
        page.wait_for_selector("#status.error:has-text('bad.txt')")
        letor = b"2 qid:1 1:0.5 2:1\n0 qid:1 1:0.9 2:0\n1 qid:2 1:3 2:1\n"
        page.set_input_files("#upload", {"name": "train.txt", "mimeType": "text/plain", "buffer": letor})
        page.wait_for_selector("#value")
        page.wait_for_selector("#status:has-text('train.txt is now in the project')")
        assert page.locator("[data-feature]").count() == 2
        assert page.inner_text("#size") == "2 queries, 3 documents, 2 features"


def test_a_mistake_is_explained_and_mended(server, open_page) -> None:
    page = open_page(server)
    before = page.get_attribute("#value", "data-value")
    page.fill("#metric", "nDGC")
    page.keyboard.press("Enter")
    page.wait_for_selector("#status.error:has-text('did you mean')")
    page.wait_for_selector("#reading[aria-busy=true]")  # what is shown is of the past
    page.fill("#metric", "AP")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reading:not([aria-busy])")
    page.wait_for_selector("#status:not(.error)", state="attached")
    assert page.get_attribute("#value", "data-value") == before


def test_two_tabs_and_a_server_that_goes_and_comes_back(project: Project, open_page) -> None:
    with StudioServer(project, port=0).in_background() as first:
        access = first.access
        tab, other = open_page(first), open_page(first, "#metric=RR&w=f2=1")
        assert tab.get_attribute("#value", "data-value") != other.get_attribute("#value", "data-value")
        assert tab.is_hidden("#trouble")
    tab.fill("[data-feature=f1] input[type=number]", "3")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#trouble")
    with StudioServer(project, port=access.port, token=access.token).in_background():
        tab.wait_for_selector("#trouble", state="hidden")
        assert tab.weights["f1"] == 3
        data = project.data("train.npz")
        tab.settle(lambda: float(evaluate_scores(data.scores([3, 1, 1, 1]), data, ["AP"]).means[0]))
    with StudioServer(project, port=access.port).in_background():  # with another token
        tab.fill("[data-feature=f1] input[type=number]", "4")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#trouble:has-text('restarted')")


class _Foreign(BaseHTTPRequestHandler):
    """A site on another port of this machine, which a browser takes for the same site, cookies and all."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


ATTACK = """async origin => {
  const outcome = work => work.then(() => "in", () => "out");
  const loads = (tag, path) => outcome(new Promise((onload, onerror) => {
    document.body.append(Object.assign(document.createElement(tag), { onload, onerror, src: origin + path }));
  }));
  const body = JSON.stringify({ data: "train.npz", current: { weights: { f1: 1 } }, name: "stolen" });
  const send = mode => outcome(fetch(`${origin}/api/models`, { method: "POST", body, mode, credentials: "include" }));
  return {
    read: await outcome(fetch(`${origin}/api/project`, { credentials: "include" }).then(response => response.text())),
    write: await send("cors"),
    writeUnseen: await send("no-cors"),
    script: await loads("script", "/static/charts/colors.js"),
    image: await loads("img", "/static/icon.svg"),
    frame: await new Promise(resolve => {
      const frame = Object.assign(document.createElement("iframe"), { src: origin });
      frame.onload = () => resolve(frame.contentDocument ? "in" : "out");
      document.body.append(frame);
    }),
  };
}"""


def test_another_site_gets_nothing_with_the_visitors_cookie(server, project: Project, open_page) -> None:
    page = open_page(server)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Foreign) as foreign:
        Thread(target=foreign.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        other = page.context.new_page()
        other.goto(f"http://127.0.0.1:{foreign.server_port}/")
        got = other.evaluate(ATTACK, server.access.origin)
        foreign.shutdown()
    assert got == dict.fromkeys(("read", "write", "writeUnseen", "script", "image", "frame"), "out")
    assert not (project.folder / "stolen.json").exists()


LOOKS = {
    "wide": {"viewport": {"width": 1280, "height": 860}},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
READY = {"weights": "#follow svg", "surface": "#optimum", "ranking": ".document", "learn": "#models"}


@pytest.mark.parametrize("look", LOOKS)
def test_pages_fit(server, open_page, look: str) -> None:
    page = open_page(server, "#features=f1,f2,f3&follow=f2&w=f1=1,f2=2,f3=1", **LOOKS[look])
    for name, ready in READY.items():
        page.click(f"nav >> text={name.capitalize()}")
        page.wait_for_selector(ready)
        assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
