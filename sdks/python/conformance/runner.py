"""Makes the calls of the scenarios in sdks/conformance with this SDK; with --async, with the client for asyncio. See the README
there for the protocol."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from duetime import (
    Answer,
    AsyncDuetime,
    BatchCancel,
    BatchUpdate,
    Delivery,
    Duetime,
    DuetimeError,
    Receiver,
    RecentDeliveries,
    WebhookVerificationError,
    again_at,
    done,
    gone,
    retry,
    verify_webhook,
)
from duetime._wire import as_json, snake_case
from frameworks import SERVERS

Args = dict[str, Any]
IS_ASYNC = "--async" in sys.argv
client: Any = None
received: list[Delivery] = []


def kwargs(fields: Args) -> Args:
    """With the names of Python, also inside of what the SDK names."""
    nested = ("retryPolicy", "callback")
    return {snake_case(name): kwargs(value) if name in nested else value for name, value in fields.items()}


def configure(args: Args) -> None:
    global client
    options = kwargs(args)
    for name in ("timeout", "attempt_timeout"):
        if f"{name}_ms" in options:
            options[name] = options.pop(f"{name}_ms") / 1000
    client = (AsyncDuetime if IS_ASYNC else Duetime)(**options)
    received.clear()


async def call(method: str, *names: Any, **fields: Any) -> Any:
    result = getattr(client, method)(*names, **fields)
    return await result if isinstance(result, Coroutine) else result


async def listed(args: Args) -> Any:
    timers = client.list(**kwargs(args))
    return [timer async for timer in timers] if IS_ASYNC else list(timers)


def item(args: Args) -> Any:
    fields = kwargs(args)
    match fields.pop("action", "create"):
        case "update":
            return BatchUpdate(fields.pop("timer_id"), **fields)
        case "delete":
            return BatchCancel(fields.pop("timer_id"), **fields)
        case _:
            return fields


async def batch(args: Args) -> Any:
    options = {} if "onConflict" not in args else {"on_conflict": args["onConflict"]}
    results = await call("batch", [item(one) for one in args["timers"]], **options)
    return [{"timer": as_json(one.timer)} if one.error is None else {"error": facts(one.error)} for one in results]


def verify(args: Args) -> Any:
    options = {} if "toleranceSeconds" not in args else {"tolerance_seconds": args["toleranceSeconds"]}
    return {"id": verify_webhook(args["body"], args["headers"], args["secrets"], now=args["now"], **options)}


async def handle(args: Args) -> Any:
    calls: list[Delivery] = []

    def on_timer(delivery: Delivery) -> Answer | None:
        calls.append(delivery)
        return scripted(args.get("answer"))

    async def on_timer_async(delivery: Delivery) -> Answer | None:
        return on_timer(delivery)

    receiver = Receiver(on_timer_async if IS_ASYNC else on_timer, secrets=args.get("secrets"))
    request = (args["method"], args["headers"], args["body"].encode())
    reply = await receiver.handle_async(*request) if IS_ASYNC else receiver.handle(*request)
    return {
        "status": reply.status,
        "headers": dict(reply.headers),
        "body": json.loads(reply.body),
        "called": bool(calls),
    }


def listen(args: Args) -> Any:
    def on_timer(delivery: Delivery) -> Answer | None:
        received.append(delivery)
        answers = args["answers"].get(delivery.id)
        return scripted(answers.pop(0) if answers else None)

    async def on_timer_async(delivery: Delivery) -> Answer | None:
        return on_timer(delivery)

    framework = args.get("framework", "wsgi")
    memory = RecentDeliveries() if args.get("dedup") else None
    function = on_timer_async if framework == "fastapi" else on_timer
    return {"url": SERVERS[framework](Receiver(function, secrets=args["secrets"], memory=memory))}


def scripted(answer: Args | None) -> Answer | None:
    after = (answer or {}).get("afterSeconds")
    match answer:
        case {"type": "retry", "reason": reason}:
            return retry(reason, after_seconds=after)
        case {"type": "again", "at": at}:
            return again_at(at)
        case {"type": "gone", "reason": reason}:
            return gone(reason)
        case {"type": "throw"}:
            raise RuntimeError("as the scenario says")
        case {"type": "done"}:
            return done()
        case _:
            return None


def facts(error: Exception) -> Args:
    if isinstance(error, WebhookVerificationError):
        return {"code": "WEBHOOK_VERIFICATION"}
    if not isinstance(error, DuetimeError):
        return {"code": "RUNNER", "message": repr(error)}
    return {
        "code": error.code,
        "message": error.message,
        "status": error.status,
        "retryable": error.retryable,
        "attempts": error.attempts,
        "details": dict(error.details),
        "requestId": error.request_id,
    }


def named(method: str) -> Callable[[Args], Any]:
    def run(args: Args) -> Any:
        fields = kwargs(args)
        return call(method, fields.pop("timer_id"), **fields)

    return run


OPS: dict[str, Callable[[Args], Any]] = {
    "configure": configure,
    "create": lambda args: call("create", **kwargs(args)),
    "preview": lambda args: call("preview", **kwargs(args)),
    "overview": lambda args: call("overview", **args),
    "forecast": lambda args: call("forecast", **args),
    "testCallback": lambda args: call("test_callback", **kwargs(args)),
    "cancelMany": lambda args: call("cancel_many", **kwargs(args)),
    "retryMany": lambda args: call("retry_many", **kwargs(args)),
    "list": listed,
    "batch": batch,
    "verify": verify,
    "handle": handle,
    "listen": listen,
    "received": lambda _: list(received),
    **{verb: named(verb) for verb in ("get", "update", "cancel", "pause", "resume", "trigger", "retry")},
}


async def main() -> None:
    logging.disable()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        try:
            value = OPS[asked["op"]](asked["args"])
            result = {"value": as_json(await value if isinstance(value, Coroutine) else value)}
        except Exception as error:
            result = {"error": facts(error)}
        print(json.dumps({"id": asked["id"], **result}), flush=True)


asyncio.run(main())
