"""A receiver as a WSGI application: for servers without a framework, and to mount beside one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http.client import responses
from typing import Any

from .receiver import Receiver


def wsgi_app(receiver: Receiver) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """``make_server("", 8000, wsgi_app(Receiver(on_timer, secrets=…)))``."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        names = (name for name in environ if name.startswith("HTTP_"))
        headers = {name[5:].replace("_", "-").lower(): str(environ[name]) for name in names}
        # One byte more than is taken shows that a body is too large.
        length = min(int(environ.get("CONTENT_LENGTH") or 0), receiver.max_body_bytes + 1)
        reply = receiver.handle(environ["REQUEST_METHOD"], headers, environ["wsgi.input"].read(length))
        content_length = [("content-length", str(len(reply.body)))]
        start_response(f"{reply.status} {responses.get(reply.status, '')}", [*reply.headers.items(), *content_length])
        return [reply.body]

    return app
