"""A receiver as a view of Django."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from .receiver import Receiver


def django_view(receiver: Receiver) -> Callable[[HttpRequest], HttpResponse]:
    """``path("hooks/timer", django_view(Receiver(on_timer, secrets=…)))``. Django's own limit for bodies is
    DATA_UPLOAD_MAX_MEMORY_SIZE, 2.5 MB unless it is set."""

    def view(request: HttpRequest) -> HttpResponse:
        reply = receiver.handle(request.method or "", dict(request.headers), request.body)
        return HttpResponse(reply.body, status=reply.status, headers=dict(reply.headers))

    # Deliveries come from the service, not from a page of this site.
    exempt: Callable[[HttpRequest], HttpResponse] = csrf_exempt(view)
    return exempt
