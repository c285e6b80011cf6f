"""A receiver on FastAPI: run it with `uvicorn fastapi_receiver:app`."""

import os

from fastapi import FastAPI

from duetime import Answer, Delivery, Receiver, RecentDeliveries, done, retry
from duetime.fastapi import fastapi_endpoint

app = FastAPI()
reminded: list[int] = []


async def on_timer(delivery: Delivery) -> Answer:
    order_id = delivery.payload["orderId"]
    if order_id in reminded:
        return retry("the mail server is busy", after_seconds=60)
    reminded.append(order_id)
    return done()


receiver = Receiver(on_timer, secrets=os.environ.get("WEBHOOK_SECRET"), memory=RecentDeliveries())
app.post("/hooks/timer")(fastapi_endpoint(receiver))
