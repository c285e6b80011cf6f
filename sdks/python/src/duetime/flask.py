"""A receiver as a view of Flask."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request

from .receiver import Receiver


def flask_view(receiver: Receiver) -> Callable[[], Response]:
    """``app.post("/hooks/timer")(flask_view(Receiver(on_timer, secrets=…)))``."""

    def duetime_receiver() -> Response:
        # One byte more than is taken shows that a body is too large.
        body = request.stream.read(receiver.max_body_bytes + 1)
        reply = receiver.handle(request.method, dict(request.headers), body)
        return Response(reply.body, reply.status, dict(reply.headers))

    return duetime_receiver
