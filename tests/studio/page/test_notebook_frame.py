"""A notebook's page shows the studio in a frame, where it can be used."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import rankmax
from rankmax.data.synthetic import planted_linear


class _Notebook(BaseHTTPRequestHandler):
    """The server of a notebook, under a name that browsers take for another site."""

    html = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>notebook</title>{self.html}".encode())

    def log_message(self, *_: object) -> None:
        pass


def test_the_page_works_inside_a_frame_of_another_site(browser, tmp_path: Path) -> None:
    data = planted_linear(12, 6, 3, seed=1).data
    studio = rankmax.studio({"train": data}, folder=tmp_path, port=0)
    _Notebook.html = studio._repr_html_()
    context = browser.new_context()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Notebook) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        page = context.new_page()
        page.set_default_timeout(240_000)
        page.goto(f"http://localhost:{server.server_port}/")
        frame = page.frame_locator("iframe")
        frame.locator("#value").wait_for()
        before = frame.locator("#value").get_attribute("data-value")
        frame.locator("[data-feature=f1] input[type=number]").fill("-3")
        frame.locator("[data-feature=f1] input[type=number]").press("Enter")
        frame.locator(f"#value:not([data-value='{before}'])").wait_for()
        server.shutdown()
    context.close()
    studio.close()
