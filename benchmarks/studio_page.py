"""Does the studio's page stay responsive, up to a million documents, and when does it show the metric of a drag?

Data      All of MQ2008 (784 queries, 46 features; of the tests' folder of real data), then a synthetic problem of a
          million documents (10,000 queries, 20 features); nDCG@10, in a real Chromium of 1280 x 860.
Baseline  The same question asked by the page without drawing anything: what a drag takes above it is the page's work.
Prints    Seconds until the first paint, until the first useful one (the metric of the weights, its interval and the
          sliders), and until the metric along one weight; the layout shift until then, and over a walk through all
          pages by mouse (browsers' measure of what moved unasked; good is below 0.1). Seconds until the
          first row, the coarse triangle and the end of a surface.
          Milliseconds from a move (of a slider, of a surface's point, while that is computed and afterwards) to the new
          metric on the page: median, 90th percentile and worst. With each the longest task of the page's own thread, in
          milliseconds of processor time, so that it does not hang on what else the machine does; browsers speak of a
          long one from 50.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import report
from playwright.sync_api import Browser, Page, sync_playwright

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.data.synthetic import planted_linear
from rankmax.evaluation.run_evaluation import evaluate_scores
from rankmax.formats.letor import read_letor
from rankmax.formats.registry import write_dataset
from rankmax.metrics.registry import parse_metric
from rankmax.workflows.surface.surface_lines import SurfaceLines

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from chromium import find_browser

SHARED = Path(__file__).parents[2] / "shared" / "data"
METRIC = "nDCG@10"
N_MOVES = 25
PAGES = {"Weights": "#follow svg", "Surface": "#optimum", "Ranking": "#both svg", "Learn": "#start", "Tune": "#tune"}
WAIT = 600_000  # milliseconds

WATCH = """
window.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(({ value, hadRecentInput }) => {
  if (!hadRecentInput) shift += value;
})).observe({ type: "layout-shift", buffered: true });
const painted = (name, selector) => new MutationObserver((_, self) => {
  if (!document.querySelector(selector)) return;
  self.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window[name] = performance.now(); }));
}).observe(document, { subtree: true, childList: true });
painted("useful", "#value");
painted("drawn", "#follow svg");
window.rows = [];
new MutationObserver(records => records.forEach(({ target }) => target.value > 0 && rows.push(performance.now())))
  .observe(document, { subtree: true, attributeFilter: ["value"] });
"""

OPENED = """() => new Promise(resolve => {
  const look = () => window.useful && window.drawn ? resolve() : setTimeout(look, 20);
  look();
})"""

# Moves something, and resolves with the milliseconds from each move to the next reading.
MOVE = """async ({ n, selector }) => {
  const target = document.querySelector(selector), reading = document.getElementById("reading"), times = [];
  const { left, top, width, height } = target.getBoundingClientRect();
  for (let i = 0; i < n; i++) {
    const answered = new Promise(resolve => new MutationObserver((_, self) => { self.disconnect(); resolve(); })
      .observe(reading, { childList: true }));
    const began = performance.now();
    if (target.type === "range") {
      target.value = Math.sin(i + 1);
      target.dispatchEvent(new Event("input"));
    } else target.dispatchEvent(new PointerEvent("pointermove", { buttons: 1,
      clientX: left + width * (0.5 + 0.1 * Math.sin(i)), clientY: top + height * (0.6 + 0.1 * Math.cos(i)) }));
    await answered;
    times.push(performance.now() - began);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return times;
}"""

# Asks what a move asks, and does nothing with the answer.
ASK = """async ({ n, names, metric }) => {
  const times = [], uniform = Object.fromEntries(names.map(name => [name, 1]));
  for (let i = 0; i < n; i++) {
    const body = { data: "data.npz", metric, current: { weights: { ...uniform, [names[0]]: Math.cos(i) } },
      reference: { weights: uniform } };
    const began = performance.now();
    await (await fetch("/api/read", { method: "POST", body: JSON.stringify(body) })).json();
    times.push(performance.now() - began);
  }
  return times;
}"""


@contextmanager
def studio(folder: Path) -> Iterator[str]:
    """Serve a folder in a process of its own, as the command does; yield the address."""
    command = [sys.executable, "-m", "rankmax", "studio", str(folder), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.send_signal(signal.SIGINT)


def described(times: list[float]) -> str:
    tenths = statistics.quantiles(times, n=10)
    return f"{statistics.median(times):.0f} ms, p90 {tenths[-1]:.0f} ms, worst {max(times):.0f} ms"


class Tasks:
    """What the page's own thread did since the last look."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self._browser, self._page = browser, page
        self._start()

    def _start(self) -> None:
        self._browser.start_tracing(page=self._page, categories=["toplevel", "__metadata"])

    def longest(self) -> str:
        """Return the processor time of the longest task, and begin the next look."""
        events = json.loads(self._browser.stop_tracing())["traceEvents"]
        self._start()
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        own = (e.get("tdur", 0) for e in events if names.get((e["pid"], e["tid"])) == "CrRendererMain")
        return f"{max(own, default=0) / 1000:.0f} ms"


def now(page: Page) -> float:
    return float(page.evaluate("() => performance.now()"))


def look(name: str, data: RankingDataset, browser: Browser, address: str) -> None:
    """Open the page, move a weight, compute a surface and move its point."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    tasks = Tasks(browser, page)

    def moved(selector: str, n: int = N_MOVES) -> str:
        return described(page.evaluate(MOVE, {"n": n, "selector": selector}))

    page.set_default_timeout(WAIT)
    page.add_init_script(WATCH)
    page.goto(address)
    page.evaluate(OPENED)
    first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    useful, drawn = (page.evaluate(moment) for moment in ("useful", "drawn"))
    paints = {f"{kind}_paint": f"{at / 1000:.2f} s" for kind, at in {"first": first, "useful": useful}.items()}
    shift = f"{page.evaluate('shift'):.4f}"
    report(f"{name}, opening", **paints, function=f"{drawn / 1000:.2f} s", shift=shift, longest_task=tasks.longest())
    shown = float(page.get_attribute("#value", "data-value") or "nan")
    assert page.input_value("#normalize") == "none"
    assert abs(shown - evaluate_scores(data.scores([1.0] * data.n_features), data, [METRIC]).means[0]) < 1e-9

    slider, point = ".slider input[type=range]", ".simplex"
    page.wait_for_selector("#follow svg")
    moved(slider, n=3)
    tasks.longest()
    answer, task = moved(slider), tasks.longest()
    alone = page.evaluate(ASK, {"n": N_MOVES, "names": data.feature_names, "metric": METRIC})
    report(f"{name}, a slider", answer=answer, asked_alone=described(alone), longest_task=task)

    page.evaluate("() => document.querySelector('[data-page=surface]').click()")
    began = now(page)
    page.wait_for_selector("progress[value]", state="attached")
    answer, task = moved(point), tasks.longest()
    page.wait_for_selector("#optimum")
    ended = now(page)
    rows = page.evaluate("() => rows")
    first, coarse, end = (f"{(at - began) / 1000:.1f} s" for at in (rows[0], rows[6], ended))
    report(f"{name}, a surface", first_row=first, coarse=coarse, end=end, longest_task=tasks.longest())
    report(f"{name}, its point meanwhile", answer=answer, longest_task=task)
    report(f"{name}, its point afterwards", answer=moved(point), longest_task=tasks.longest())
    for link, shown in PAGES.items():
        page.click(f"nav >> text={link}")
        page.wait_for_selector(shown)
        page.wait_for_selector("[aria-busy]", state="detached")
    report(f"{name}, all pages", shift=f"{page.evaluate('shift'):.4f}")
    browser.stop_tracing()
    page.close()


def warm_up(data: RankingDataset) -> None:
    """Have everything compiled that a surface needs."""
    SurfaceLines(data.select([0, 1]), data.feature_names[:3], parse_metric(METRIC)).exchange(0.5)


def measure(name: str, data: RankingDataset, browser: Browser) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(data, Path(folder) / "data.npz")
        warm_up(data)
        with studio(Path(folder)) as address:
            look(name, data, browser, address)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RANKMAX_DATA", SHARED)) / "letor" / "MQ2008"
    options.add_argument("--folder", type=Path, default=default)
    chosen = options.parse_args()
    with sync_playwright() as driver:
        path = find_browser()
        if path is None:
            print("skipped: no browser")
            return
        browser = driver.chromium.launch(executable_path=path)
        if chosen.folder.is_dir():
            parts = [read_letor(chosen.folder / f"S{i}.txt.gz") for i in range(1, 6)]
            measure("MQ2008", concatenate(parts), browser)
        else:
            print(f"skipped: no folder {chosen.folder}")
        measure("a million documents", planted_linear(10_000, 100, 20, noise=1.0, seed=0).data, browser)
        browser.close()


if __name__ == "__main__":
    main()
