"""Routes of the Tune page."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankmax.studio.messages import ExportTuning, KeepTuningModel, StartTuning
from rankmax.studio.tunings import Tunings
from rankmax.studio.wire import as_event, as_events, as_json, asked_for

_PAUSE = 0.1  # seconds between two polls of a tuning


def tuning_routes(tunings: Tunings) -> list[Route]:
    """Return the routes.

    Parameters
    ----------
    tunings : Tunings
    """

    async def choices(_: Request) -> Response:
        return as_json(await run_in_threadpool(tunings.choices))

    async def start(request: Request) -> Response:
        asked = await asked_for(request, StartTuning)
        return as_json({"tuning": await run_in_threadpool(tunings.start, asked)})

    async def stop(request: Request) -> Response:
        tunings.stop(request.path_params["number"])
        return as_json({})

    async def watch(request: Request) -> Response:
        number = request.path_params["number"]
        list(tunings.news(number, 0))  # an unknown number is an error, not an empty stream

        async def told() -> AsyncIterator[bytes]:
            n_seen, over = 0, False
            while not over:
                for kind, content in tunings.news(number, n_seen):
                    n_seen += kind == "step"
                    over = kind == "end"
                    yield as_event(kind, content)
                await sleep(_PAUSE)

        return as_events(told())

    async def kept(request: Request) -> Response:
        return as_json(await run_in_threadpool(tunings.page, request.path_params["name"]))

    async def report(request: Request) -> Response:
        page = await run_in_threadpool(tunings.report, request.path_params["name"])
        # To be saved, never shown from here: it has a script of its own.
        attached = {"Content-Disposition": 'attachment; filename="tuning.html"'}
        return Response(page, media_type="text/html", headers=attached)

    async def export(request: Request) -> Response:
        asked = await asked_for(request, ExportTuning)
        return as_json(await run_in_threadpool(tunings.export, asked))

    async def keep_model(request: Request) -> Response:
        asked = await asked_for(request, KeepTuningModel)
        return as_json({"name": await run_in_threadpool(tunings.keep_model, asked)})

    return [
        Route("/api/tunings/choices", choices),
        Route("/api/tunings", start, methods=["POST"]),
        Route("/api/tunings/export", export, methods=["POST"]),
        Route("/api/tunings/model", keep_model, methods=["POST"]),
        Route("/api/tunings/jobs/{number:int}/events", watch),
        Route("/api/tunings/jobs/{number:int}/stop", stop, methods=["POST"]),
        Route("/api/tunings/kept/{name}", kept),
        Route("/api/tunings/kept/{name}/report", report),
    ]
