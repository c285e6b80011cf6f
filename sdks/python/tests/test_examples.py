import asyncio
import importlib.util
import json
import unittest
from datetime import UTC, datetime
from pathlib import Path

import httpx


class Examples(unittest.TestCase):
    def test_the_receiver_on_fastapi_processes_a_delivery_once(self) -> None:
        path = Path(__file__).parent.parent / "examples" / "fastapi_receiver.py"
        spec = importlib.util.spec_from_file_location("fastapi_receiver", path)
        assert spec is not None and spec.loader is not None
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        now = datetime.now(UTC).isoformat()
        body = {"id": "a", "deliveryId": "d-1", "namespace": "default", "groupId": "default", "attempt": 1}
        body |= {"payload": {"orderId": 1}, "executeAt": now, "firedAt": now}

        async def ask() -> list[int]:
            transport = httpx.ASGITransport(example.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                answers = [await client.post("/hooks/timer", content=json.dumps(body)) for _ in range(2)]
                return [answer.json() for answer in answers]

        self.assertEqual(asyncio.run(ask()), [{"ok": True}, {"ok": True}])
        self.assertEqual(example.reminded, [1])
