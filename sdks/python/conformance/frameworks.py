"""Receivers on the real servers of web frameworks. Each function returns the receiver's URL."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from duetime import Receiver
from duetime.wsgi import wsgi_app

PATH = "/hooks/timer"


def in_background(server: Any, port: int) -> str:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{port}{PATH}"


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def wsgi(receiver: Receiver) -> str:
    server = make_server("127.0.0.1", 0, wsgi_app(receiver), handler_class=Quiet)
    return in_background(server, server.server_port)


def fastapi(receiver: Receiver) -> str:
    import uvicorn
    from fastapi import FastAPI

    from duetime.fastapi import fastapi_endpoint

    app = FastAPI()
    app.post(PATH)(fastapi_endpoint(receiver))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # what connects before the server has started waits here
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"


def flask(receiver: Receiver) -> str:
    from flask import Flask
    from werkzeug.serving import make_server as make_threaded_server

    from duetime.flask import flask_view

    app = Flask("receiver")
    app.post(PATH)(flask_view(receiver))
    server = make_threaded_server("127.0.0.1", 0, app, threaded=True)
    return in_background(server, server.server_port)


def django(receiver: Receiver) -> str:
    from django.conf import settings
    from django.core.servers.basehttp import ThreadedWSGIServer
    from django.core.servers.basehttp import WSGIRequestHandler as DjangoRequestHandler
    from django.core.wsgi import get_wsgi_application
    from django.urls import clear_url_caches, path

    from duetime.django import django_view

    urls: Any = sys.modules.setdefault("receiver_urls", ModuleType("receiver_urls"))
    urls.urlpatterns = [path(PATH.lstrip("/"), django_view(receiver))]
    if not settings.configured:
        middleware = ["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"]
        settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF="receiver_urls", SECRET_KEY="test", MIDDLEWARE=middleware)
    clear_url_caches()
    server = ThreadedWSGIServer(("127.0.0.1", 0), DjangoRequestHandler)
    server.set_app(get_wsgi_application())
    return in_background(server, server.server_port)


SERVERS: dict[str, Callable[[Receiver], str]] = {"wsgi": wsgi, "fastapi": fastapi, "flask": flask, "django": django}
