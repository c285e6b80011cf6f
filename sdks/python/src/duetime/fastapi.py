"""A receiver as an endpoint of FastAPI, or of Starlette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from .receiver import HttpReply, Receiver


def fastapi_endpoint(receiver: Receiver) -> Callable[[Request], Awaitable[Response]]:
    """``app.post("/hooks/timer")(fastapi_endpoint(Receiver(on_timer, secrets=…)))``. The function may be async; one that is not
    must not block."""

    async def endpoint(request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > receiver.max_body_bytes:
                break
        reply: HttpReply = await receiver.handle_async(request.method, request.headers, bytes(body))
        return Response(reply.body, reply.status, dict(reply.headers))

    # FastAPI reads the annotations of the function, which must be types and not their names.
    endpoint.__annotations__ = {"request": Request, "return": Response}
    return endpoint
