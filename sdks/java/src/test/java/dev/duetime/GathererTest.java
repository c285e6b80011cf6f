package dev.duetime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Answer;
import dev.duetime.Transport.Budget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests are futures here, which a test answers when it likes. */
class GathererTest {
    private static final long MILLIS = 60_000;

    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final Gatherer gatherer = new Gatherer(body -> sent(ids(body)));

    private record Request(List<String> ids, CompletableFuture<Answer> answer) {
        void succeed() {
            if (ids.size() == 1) {
                answer.complete(new Answer(timer(ids.get(0)), null, "alone"));
                return;
            }
            ArrayNode results = JsonNodeFactory.instance.arrayNode();
            for (String id : ids) {
                boolean isTaken = id.equals("taken");
                ObjectNode result = results.addObject().put("status", isTaken ? 409 : 200);
                if (isTaken) result.put("error", "TIMER_ALREADY_EXISTS");
                else result.set("timer", timer(id));
            }
            answer.complete(new Answer(JsonNodeFactory.instance.objectNode().set("results", results), null, "shared"));
        }

        void fail(int status) {
            DuetimeException.Facts facts = DuetimeException.Facts.of("", 1).answered(status, null, null);
            answer.completeExceptionally(DuetimeException.of("INVALID_INPUT", "nested too deeply", facts, null));
        }
    }

    private static JsonNode timer(String id) {
        return JsonNodeFactory.instance.objectNode().put("id", id);
    }

    private static List<String> ids(byte[] body) {
        try {
            List<String> ids = new ArrayList<>();
            Json.MAPPER.readTree(body).get("timers").forEach(item -> ids.add(item.get("id").asText()));
            return ids;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private CompletableFuture<Answer> sent(List<String> ids) {
        Request request = new Request(ids, new CompletableFuture<>());
        requests.add(request);
        return request.answer;
    }

    private static Budget budget() {
        return new Budget(System.nanoTime(), System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS), new CompletableFuture<>());
    }

    private CompletableFuture<Answer> send(String id, Budget budget, int attempt) {
        byte[] body = Json.bytes(timer(id));
        DuetimeException.Facts facts = DuetimeException.Facts.of(id, attempt);
        return gatherer.send(new Gatherer.Attempt("create", body, () -> sent(List.of(id)), budget, facts), MILLIS);
    }

    private CompletableFuture<Answer> send(String id) {
        return send(id, budget(), 1);
    }

    private Request next() throws InterruptedException {
        return requests.poll(MILLIS, TimeUnit.MILLISECONDS);
    }

    private static String idOf(CompletableFuture<Answer> sent) {
        return sent.join().body().get("id").asText();
    }

    private static DuetimeException failure(CompletableFuture<Answer> sent) {
        return assertInstanceOf(DuetimeException.class, assertThrows(CompletionException.class, sent::join).getCause());
    }

    @Test
    void whatIsCalledWhileTwoRequestsAreUnderWayGoesWithTheNext() throws Exception {
        CompletableFuture<Answer> first = send("first");
        CompletableFuture<Answer> second = send("second");
        CompletableFuture<Answer> third = send("third");
        CompletableFuture<Answer> taken = send("taken", budget(), 3);
        Request alone = next();
        assertEquals(List.of("first"), alone.ids);
        alone.succeed();
        assertEquals("first", idOf(first));
        Request other = next();
        assertEquals(List.of("second"), other.ids);
        Request shared = next();
        assertEquals(List.of("third", "taken"), shared.ids);
        shared.succeed();
        assertEquals("third", idOf(third));
        assertInstanceOf(ConflictException.class, failure(taken));
        assertEquals(3, failure(taken).attempts());
        assertFalse(second.isDone());
    }

    @Test
    void aSlowRequestDoesNotHoldUpTheCallsAfterIt() throws Exception {
        CompletableFuture<Answer> first = send("first");
        CompletableFuture<Answer> second = send("second");
        CompletableFuture<Answer> third = send("third");
        Request slow = next();
        Request alsoSlow = next();
        next().succeed();
        assertEquals("third", idOf(third));
        slow.succeed();
        alsoSlow.succeed();
        assertEquals("first", idOf(first));
        assertEquals("second", idOf(second));
    }

    @Test
    void onlySoManySlowRequestsAreUnderWay() throws Exception {
        List<Request> slow = new ArrayList<>();
        Request request;
        do {
            send("t" + slow.size());
            request = requests.poll(1, TimeUnit.SECONDS);
            if (request != null) slow.add(request);
        } while (request != null && slow.size() <= 64);
        assertTrue(slow.size() <= 64, slow.size() + " requests are under way");
        slow.forEach(Request::succeed);
        assertEquals(List.of("t" + slow.size()), next().ids);
    }

    @Test
    void aCallThatIsCanceledIsNotSentAndLeavesTheOthersAlone() throws Exception {
        send("first");
        send("second");
        Budget waiting = budget();
        CompletableFuture<Answer> left = send("left", waiting, 1);
        Budget shared = budget();
        CompletableFuture<Answer> leaving = send("leaving", shared, 1);
        CompletableFuture<Answer> kept = send("kept");
        waiting.canceled().complete(null);
        assertInstanceOf(CancellationException.class, assertThrows(CompletionException.class, left::join).getCause());
        next().succeed();
        next();
        Request request = next();
        assertEquals(List.of("leaving", "kept"), request.ids);
        shared.canceled().complete(null);
        assertInstanceOf(CancellationException.class, assertThrows(CompletionException.class, leaving::join).getCause());
        request.succeed();
        assertEquals("kept", idOf(kept));
    }

    @Test
    void aBatchThatIsRefusedAsAWholeIsHalved() throws Exception {
        send("first");
        send("second");
        List<CompletableFuture<Answer>> sent = IntStream.range(0, 5).mapToObj(number -> send("t" + number)).toList();
        next().succeed();
        next();
        for (int left = sent.size(); left > 0; ) {
            Request request = next();
            boolean isBad = request.ids.contains("t3");
            if (isBad) request.fail(400);
            else request.succeed();
            if (!isBad || request.ids.size() == 1) left -= request.ids.size();
        }
        for (int number = 0; number < sent.size(); number++) {
            if (number == 3) assertInstanceOf(InvalidInputException.class, failure(sent.get(3)));
            else assertEquals("t" + number, idOf(sent.get(number)));
        }
    }

    @Test
    void aFailureOfTheRequestIsOneOfEachCall() throws Exception {
        send("first");
        send("second");
        CompletableFuture<Answer> a = send("a", budget(), 1);
        CompletableFuture<Answer> b = send("b", budget(), 2);
        next().succeed();
        next();
        next().fail(503);
        assertNotSame(failure(a), failure(b));
        assertEquals(2, failure(b).attempts());
    }
}
