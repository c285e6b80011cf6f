package dev.duetime.receiver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;

/** A receiver for the HTTP server of the JDK: {@code server.createContext("/hooks/timer", new DuetimeHttpHandler(receiver))}. */
public final class DuetimeHttpHandler implements HttpHandler {
    private final Receiver receiver;

    /**
     * Answers every request that reaches it.
     *
     * @param receiver of the deliveries
     */
    public DuetimeHttpHandler(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            // One byte more than is taken shows that a body is too large.
            byte[] body = exchange.getRequestBody().readNBytes(receiver.maxBodyBytes() + 1);
            Receiver.Reply reply = receiver.handle(exchange.getRequestMethod(), exchange.getRequestHeaders()::getFirst, body);
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(reply.status(), reply.body().length);
            exchange.getResponseBody().write(reply.body());
        }
    }
}
