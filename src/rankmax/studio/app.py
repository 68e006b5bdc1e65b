"""The studio as a web application: routes and their handlers."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rankmax._pages.scripts import CHARTS, TUNING_SCRIPTS
from rankmax._pages.stylesheets import STYLES
from rankmax.errors import RankmaxError, UnknownNameError
from rankmax.studio import messages, responses
from rankmax.studio.security import Access, Guard
from rankmax.studio.session import Session
from rankmax.studio.surveys import survey
from rankmax.studio.trainings import Runs
from rankmax.studio.tuning_routes import tuning_routes
from rankmax.studio.tunings import Tunings
from rankmax.studio.uploads import MOST_BYTES, take_upload
from rankmax.studio.wire import as_event, as_events, as_json, asked_for, body_of
from rankmax.workflows.projects.roles import HeldOutDataError, require_no_test_data

STATIC = Path(__file__).parent / "static"

_PAUSE = 0.1  # seconds between two polls of a training
_Asked = TypeVar("_Asked")


def studio_app(session: Session, runs: Runs, tunings: Tunings, access: Access) -> Starlette:
    """Return the web application.

    Parameters
    ----------
    session : Session
    runs : Runs
    tunings : Tunings
    access : Access
    """

    def answer(kind: type[_Asked], view: Callable[[Session, _Asked], Any]) -> Callable[[Request], Any]:
        """Return an endpoint that decodes requests of a type and computes their response."""

        async def endpoint(request: Request) -> Response:
            asked = await asked_for(request, kind)
            return as_json(await run_in_threadpool(view, session, asked))

        return endpoint

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def project(_: Request) -> Response:
        return as_json(await run_in_threadpool(responses.project, session))

    async def model(request: Request) -> Response:
        return as_json(await run_in_threadpool(responses.weights_of, session, request.path_params["name"]))

    async def model_training(request: Request) -> Response:
        return as_json(await run_in_threadpool(responses.training_of, session, request.path_params["name"]))

    async def model_file(request: Request) -> Response:
        found = await run_in_threadpool(session.project.model, request.path_params["name"])
        return Response(found.to_json(), media_type="application/json")

    async def table(request: Request) -> Response:
        asked = await asked_for(request, messages.Table)

        def compared() -> dict[str, Any]:
            chosen = {name: session.project.model(name) for name in asked.models}
            models = chosen if asked.run is None else {f"training {asked.run}": runs.model(asked.run)}
            return responses.compare_models(session, asked, models)

        return as_json(await run_in_threadpool(compared))

    async def upload(request: Request) -> Response:
        content = await body_of(request, MOST_BYTES)
        return as_json(await run_in_threadpool(take_upload, session, request.path_params["name"], content))

    async def run_survey(request: Request) -> Response:
        asked = await asked_for(request, messages.Survey)
        require_no_test_data("draw a surface", asked.data, confirmed=asked.confirmed)  # before the stream begins
        steps = survey(session, asked)

        async def told() -> AsyncIterator[bytes]:
            try:
                while (event := await run_in_threadpool(next, steps, None)) is not None:
                    yield as_event(*event)
            except RankmaxError as error:
                yield as_event("error", {"error": str(error)})

        return as_events(told())

    async def start_run(request: Request) -> Response:
        asked = await asked_for(request, messages.Train)
        return as_json({"run": await run_in_threadpool(runs.start, asked)})

    async def list_runs(_: Request) -> Response:
        return as_json(runs.listed())

    async def keep_run(request: Request) -> Response:
        asked = await asked_for(request, messages.KeepRun)
        return as_json({"name": await run_in_threadpool(runs.keep, asked)})

    async def stop_run(request: Request) -> Response:
        runs.stop(request.path_params["number"])
        return as_json({})

    async def discard_run(request: Request) -> Response:
        await run_in_threadpool(runs.discard, request.path_params["number"])
        return as_json({})

    async def watch_run(request: Request) -> Response:
        number = request.path_params["number"]
        runs.described(number)  # an unknown number is an error, not an empty stream

        async def told() -> AsyncIterator[bytes]:
            n_seen, over = 0, False
            try:
                while not over:
                    for kind, content in runs.news(number, n_seen):
                        n_seen += kind == "step"
                        over = kind == "end"
                        yield as_event(kind, content)
                    await sleep(_PAUSE)
            except UnknownNameError:  # saved or discarded by another page
                yield as_event("gone", {})

        return as_events(told())

    return Starlette(
        routes=[
            Route("/", index),
            Route("/api/project", project),
            Route("/api/describe", answer(messages.View, responses.describe), methods=["POST"]),
            Route("/api/read", answer(messages.Read, responses.read), methods=["POST"]),
            Route("/api/follow", answer(messages.Follow, responses.follow), methods=["POST"]),
            Route("/api/queries", answer(messages.ListQueries, responses.list_queries), methods=["POST"]),
            Route("/api/ranking", answer(messages.Compare, responses.compare_rankings), methods=["POST"]),
            Route("/api/table", table, methods=["POST"]),
            Route("/api/split", answer(messages.Split, responses.split), methods=["POST"]),
            Route("/api/export", answer(messages.Export, responses.export_for), methods=["POST"]),
            Route("/api/survey", run_survey, methods=["POST"]),
            Route("/api/models", answer(messages.SaveWeights, responses.save_weights), methods=["POST"]),
            Route("/api/models/{name}", model),
            Route("/api/models/{name}/file", model_file),
            Route("/api/trainings/{name}", model_training),
            Route("/api/files/{name}", upload, methods=["POST"]),
            Route("/api/runs", list_runs),
            Route("/api/runs", start_run, methods=["POST"]),
            Route("/api/runs/keep", keep_run, methods=["POST"]),
            Route("/api/runs/{number:int}/events", watch_run),
            Route("/api/runs/{number:int}/stop", stop_run, methods=["POST"]),
            Route("/api/runs/{number:int}", discard_run, methods=["DELETE"]),
            *tuning_routes(tunings),
            Mount("/static/charts", StaticFiles(directory=CHARTS)),
            Mount("/static/tuning", StaticFiles(directory=TUNING_SCRIPTS)),
            Mount("/static/styles", StaticFiles(directory=STYLES)),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={RankmaxError: _refused, HTTPException: _unknown},
    )


async def _refused(_: Request, error: Exception) -> Response:
    return as_json({"error": str(error)}, 409 if isinstance(error, HeldOutDataError) else 400)


async def _unknown(_: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return as_json({"error": error.detail}, error.status_code)
    raise error
