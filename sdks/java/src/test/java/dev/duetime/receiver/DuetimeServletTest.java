package dev.duetime.receiver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The servlet in a real server. */
class DuetimeServletTest {
    private static final String DELIVERY =
            """
            {"id":"a","namespace":"default","groupId":"default","payload":{"n":1},"executeAt":"2030-01-31T09:00:00.000Z",\
            "firedAt":"2030-01-31T09:00:00.001Z","attempt":1,"deliveryId":"d-1"}""";

    private final Server server = new Server();

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private URI start(Receiver receiver) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new DuetimeServlet(receiver)), "/hooks/timer");
        server.setHandler(context);
        server.start();
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/hooks/timer");
    }

    private static Future<HttpResponse<String>> post(URI url) {
        HttpRequest request = HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofString(DELIVERY)).build();
        return HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void whatIsNotSignedOrTooLargeNeverReachesTheHandler() throws Exception {
        Receiver receiver = new Receiver(delivery -> {
                    throw new AssertionError("called");
                })
                .maxBodyBytes(10);
        URI url = start(receiver);
        assertEquals(413, post(url).get().statusCode());
        receiver.maxBodyBytes(10_000).secrets(List.of("whsec_" + "A".repeat(43) + "="));
        assertEquals(401, post(url).get().statusCode());
    }

    @Test
    void aDeliveryIsAnswered() throws Exception {
        URI url = start(new Receiver(delivery -> {
            assertEquals(1, delivery.payload().get("n").asInt());
            return Answer.againAt(Instant.parse("2030-02-01T09:00:00Z"));
        }));
        HttpResponse<String> answer = post(url).get();
        assertEquals(200, answer.statusCode());
        assertTrue(answer.body().contains("\"nextExecuteAt\":\"2030-02-01T09:00:00Z\""), answer.body());
    }

    @Test
    void aDeliveryThatIsBeingProcessedIsNotProcessedBesideThat() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        URI url = start(new Receiver(delivery -> {
                    calls.incrementAndGet();
                    begun.countDown();
                    ended.await();
                    return null;
                })
                .memory(new RecentDeliveries()));
        Future<HttpResponse<String>> first = post(url);
        begun.await();
        assertEquals("1", post(url).get().headers().firstValue("Retry-After").orElse(null));
        ended.countDown();
        assertEquals("{\"ok\":true}", first.get().body());
        assertEquals("{\"ok\":true}", post(url).get().body());
        assertEquals(1, calls.get());
    }

    @Test
    void onlySoManyDeliveriesAreRemembered() {
        RecentDeliveries memory = new RecentDeliveries(2);
        for (String id : List.of("a", "b", "c")) {
            assertTrue(memory.claim(id).isNew());
            memory.keep(id, Answer.done());
        }
        assertEquals(Answer.done(), memory.claim("b").answer());
        assertEquals(Answer.done(), memory.claim("c").answer());
        assertTrue(memory.claim("a").isNew());
    }
}
