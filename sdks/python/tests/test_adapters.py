"""The adapters on the real frameworks, through their own test clients."""

import asyncio
import json
import unittest
from typing import Any

import httpx

from duetime import Answer, Delivery, Receiver, RecentDeliveries, again_at

BODY = json.dumps(
    {
        "id": "a",
        "namespace": "default",
        "groupId": "default",
        "payload": {"n": 1},
        "executeAt": "2030-01-31T09:00:00.000Z",
        "firedAt": "2030-01-31T09:00:00.001Z",
        "attempt": 1,
        "deliveryId": "d-1",
    }
)
SECRET = "whsec_" + "A" * 43 + "="


def on_timer(delivery: Delivery) -> Answer:
    assert delivery.payload == {"n": 1}
    return again_at(delivery.execute_at)


ANSWER = {"ok": False, "nextExecuteAt": "2030-01-31T09:00:00.000Z"}


class Adapters(unittest.TestCase):
    def test_fastapi(self) -> None:
        from fastapi import FastAPI

        from duetime.fastapi import fastapi_endpoint

        async def on_timer_async(delivery: Delivery) -> Answer:
            return on_timer(delivery)

        app = FastAPI()
        app.post("/open")(fastapi_endpoint(Receiver(on_timer_async)))
        app.post("/small")(fastapi_endpoint(Receiver(on_timer_async, max_body_bytes=10)))
        app.post("/closed")(fastapi_endpoint(Receiver(on_timer_async, secrets=SECRET)))

        async def ask(path: str) -> tuple[int, Any]:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
                answer = await client.post(path, content=BODY)
                return answer.status_code, answer.json()

        self.assertEqual(asyncio.run(ask("/open")), (200, ANSWER))
        self.assertEqual(asyncio.run(ask("/small"))[0], 413)
        self.assertEqual(asyncio.run(ask("/closed"))[0], 401)

    def test_flask(self) -> None:
        from flask import Flask

        from duetime.flask import flask_view

        app = Flask("test")
        app.add_url_rule("/open", "open", flask_view(Receiver(on_timer)), methods=["POST"])
        app.add_url_rule("/small", "small", flask_view(Receiver(on_timer, max_body_bytes=10)), methods=["POST"])
        app.add_url_rule("/closed", "closed", flask_view(Receiver(on_timer, secrets=SECRET)), methods=["POST"])
        client = app.test_client()
        answer = client.post("/open", data=BODY)
        self.assertEqual((answer.status_code, answer.get_json()), (200, ANSWER))
        self.assertEqual(client.post("/small", data=BODY).status_code, 413)
        self.assertEqual(client.post("/closed", data=BODY).status_code, 401)

    def test_django(self) -> None:
        import django
        from django.conf import settings

        settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF="none")
        django.setup()
        from django.test import RequestFactory

        from duetime.django import django_view

        def ask(receiver: Receiver) -> Any:
            request = RequestFactory().post("/hook", data=BODY, content_type="application/json")
            return django_view(receiver)(request)

        answer = ask(Receiver(on_timer))
        self.assertEqual((answer.status_code, json.loads(answer.content)), (200, ANSWER))
        self.assertEqual(ask(Receiver(on_timer, secrets=SECRET)).status_code, 401)


class Deduplication(unittest.TestCase):
    def test_a_delivery_that_is_being_processed_is_not_processed_beside_that(self) -> None:
        async def run() -> None:
            ended = asyncio.Event()

            async def slow(_: Delivery) -> None:
                await ended.wait()

            receiver = Receiver(slow, memory=RecentDeliveries())
            first = asyncio.create_task(receiver.handle_async("POST", {}, BODY.encode()))
            await asyncio.sleep(0)
            second = await receiver.handle_async("POST", {}, BODY.encode())
            self.assertIn(b"being processed", second.body)
            ended.set()
            self.assertEqual(json.loads((await first).body), {"ok": True})
            self.assertEqual(json.loads((await receiver.handle_async("POST", {}, BODY.encode())).body), {"ok": True})

        asyncio.run(run())

    def test_a_delivery_whose_task_was_cancelled_can_be_processed_again(self) -> None:
        async def run() -> None:
            calls = 0

            async def hanging(_: Delivery) -> None:
                nonlocal calls
                calls += 1
                if calls == 1:
                    await asyncio.Event().wait()

            receiver = Receiver(hanging, memory=RecentDeliveries())
            first = asyncio.create_task(receiver.handle_async("POST", {}, BODY.encode()))
            await asyncio.sleep(0)
            first.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await first
            self.assertEqual((await receiver.handle_async("POST", {}, BODY.encode())).status, 200)
            self.assertEqual(calls, 2)

        asyncio.run(run())

    def test_only_so_many_deliveries_are_remembered(self) -> None:
        memory = RecentDeliveries(2)
        answer = again_at("2030-01-31T09:00:00Z")
        for id in ("a", "b", "c"):
            self.assertEqual(memory.claim(id), "new")
            memory.keep(id, answer)
        self.assertEqual([memory.claim(id) for id in ("c", "b", "a")], [answer, answer, "new"])
