package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Budget;
import dev.duetime.Transport.Call;
import dev.duetime.model.ErrorCode;
import dev.duetime.model.NewTimer;
import dev.duetime.model.OnConflict;
import dev.duetime.model.Timer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Creates that can be sent twice without making two timers, or firing one twice. When an answer was lost, the next attempt asks not to
 * replace anything; a timer that is in the way then is either the one that the first attempt made, which is the answer, or another one,
 * and then it is judged as if nothing had been sent before.
 */
final class Creating {
    private static final Duration CLOCKS_APART = Duration.ofSeconds(1); // of two nodes of one cluster; what the timer is like is compared as well
    private static final int BATCH_TIMERS_MAX = 1_000;
    private static final int BATCH_BYTES_MAX = 300_000; // far below the 8 MiB that the service takes
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Transport transport;

    Creating(Transport transport) {
        this.transport = transport;
    }

    /** A UUIDv7: ids that are made one after the other sort that way. */
    static String newTimerId() {
        long time = System.currentTimeMillis() << 16;
        long high = time | 0x7000 | RANDOM.nextInt(0x1000);
        long low = RANDOM.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    /** A create that can be sent again: it has an id before it is first sent, or an idempotency key. */
    static ObjectNode ready(NewTimer timer, String namespace, OnConflict onConflict) {
        ObjectNode body = Json.object(timer);
        if (!body.has("namespace")) body.put("namespace", namespace);
        if (body.has("idempotencyKey")) return body;
        // Of an id that was made here nobody else can know, so a timer that has it already is this one.
        if (!body.has("id")) return body.put("id", newTimerId()).put("onConflict", OnConflict.KEEP.word());
        if (!body.has("onConflict")) body.put("onConflict", onConflict.word());
        return body;
    }

    CompletableFuture<JsonNode> create(ObjectNode create, Budget budget) {
        AtomicBoolean repeated = new AtomicBoolean();
        Function<Boolean, JsonNode> body = uncertain -> {
            repeated.set(uncertain);
            return uncertain ? withoutReplacing(create) : create;
        };
        return transport
                .request(new Call("create", body, false), budget)
                .handle((answer, thrown) -> {
                    if (thrown == null) return CompletableFuture.completedFuture(answer.body());
                    Throwable cause = Transport.cause(thrown);
                    JsonNode there = repeated.get() ? timerInTheWay(cause) : null;
                    if (there == null) return CompletableFuture.<JsonNode>failedFuture(cause);
                    if (isMade(there, create, ((DuetimeException) cause).serverTime(), budget))
                        return CompletableFuture.completedFuture(there);
                    if (isRejecting(create)) return CompletableFuture.<JsonNode>failedFuture(cause);
                    return create(create, budget);
                })
                .thenCompose(Function.identity());
    }

    private static final class Item {
        private final ObjectNode create;
        private boolean uncertain;
        private BatchResult result;

        private Item(ObjectNode create) {
            this.create = create;
        }
    }

    /** Results in the order of the timers; as many requests as it takes. */
    CompletableFuture<List<BatchResult>> batch(List<ObjectNode> creates, Budget budget) {
        List<Item> items = creates.stream().map(Item::new).toList();
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        for (List<Item> chunk : chunks(items)) done = done.thenCompose(none -> createChunk(chunk, budget, 0));
        return done.thenApply(none -> items.stream().map(item -> item.result).toList());
    }

    private CompletableFuture<Void> createChunk(List<Item> items, Budget budget, int retry) {
        List<Item> open = items.stream().filter(item -> item.result == null).toList();
        if (open.isEmpty()) return CompletableFuture.completedFuture(null);
        return sendItems(open, budget).thenCompose(busy -> {
            if (busy == null) return createChunk(items, budget, retry);
            CompletableFuture<Void> wait =
                    retry >= transport.retries() ? CompletableFuture.failedFuture(busy) : transport.pause(retry, busy, budget);
            return wait.handle((none, thrown) -> {
                        // The others have their results: what is left has this one.
                        if (thrown != null) open.stream().filter(item -> item.result == null).forEach(item -> item.result = new BatchResult(null, busy));
                        return createChunk(items, budget, retry + 1);
                    })
                    .thenCompose(Function.identity());
        });
    }

    /** The failure of those that are to be sent again after a while; null when there are none. */
    private CompletableFuture<DuetimeException> sendItems(List<Item> items, Budget budget) {
        Function<Boolean, JsonNode> body = uncertain -> {
            ArrayNode timers = JsonNodeFactory.instance.arrayNode();
            for (Item item : items) {
                item.uncertain |= uncertain;
                timers.add(item.uncertain ? withoutReplacing(item.create) : item.create);
            }
            return JsonNodeFactory.instance.objectNode().set("timers", timers);
        };
        return transport.request(new Call("batch", body, false), budget).thenApply(answer -> {
            DuetimeException busy = null;
            for (int index = 0; index < items.size(); index++) {
                Item item = items.get(index);
                JsonNode answered = answer.body().path("results").path(index);
                if (answered.has("timer")) {
                    item.result = new BatchResult(Json.read(answered.get("timer"), Timer.class), null);
                    continue;
                }
                DuetimeException error = itemError(answered);
                if (error.retryable()) {
                    item.uncertain |= Transport.mayHaveHappened(error);
                    busy = error;
                } else item.result = settled(item, error, answer.serverTime(), budget);
            }
            return busy;
        });
    }

    /** Null: to be sent again as it was at first. */
    private static BatchResult settled(Item item, DuetimeException error, Instant serverTime, Budget budget) {
        JsonNode there = item.uncertain ? timerInTheWay(error) : null;
        if (there == null) return new BatchResult(null, error);
        if (isMade(there, item.create, serverTime, budget)) return new BatchResult(Json.read(there, Timer.class), null);
        item.uncertain = false;
        return isRejecting(item.create) ? new BatchResult(null, error) : null;
    }

    private static DuetimeException itemError(JsonNode answered) {
        int status = answered.path("status").asInt();
        JsonNode wait = answered.path("details").path("retryAfterMs");
        DuetimeException.Facts facts = DuetimeException.Facts.of("", 1)
                .answered(status, answered.get("details"), null)
                .retrying(status == 503 || status == 429, wait.isNumber() ? Duration.ofMillis(wait.asLong()) : null);
        return DuetimeException.of(answered.path("error").asText(), answered.path("message").asText(), facts, null);
    }

    /** By number and, since payloads can be large, by size. */
    private static List<List<Item>> chunks(List<Item> items) {
        List<List<Item>> all = new ArrayList<>();
        List<Item> chunk = new ArrayList<>();
        int size = 0;
        for (Item item : items) {
            int itemSize = Json.bytes(item.create).length;
            if (!chunk.isEmpty() && (chunk.size() == BATCH_TIMERS_MAX || size + itemSize > BATCH_BYTES_MAX)) {
                all.add(chunk);
                chunk = new ArrayList<>();
                size = 0;
            }
            chunk.add(item);
            size += itemSize;
        }
        if (!chunk.isEmpty()) all.add(chunk);
        return all;
    }

    private static boolean isRejecting(ObjectNode create) {
        return create.path("onConflict").asText().equals(OnConflict.REJECT.word());
    }

    private static ObjectNode withoutReplacing(ObjectNode create) {
        if (!create.path("onConflict").asText().equals(OnConflict.REPLACE.word())) return create;
        return create.deepCopy().put("onConflict", OnConflict.REJECT.word());
    }

    private static JsonNode timerInTheWay(Throwable cause) {
        boolean isTaken = cause instanceof DuetimeException error && error.code().equals(ErrorCode.TIMER_ALREADY_EXISTS);
        return isTaken ? ((DuetimeException) cause).details().get("timer") : null;
    }

    /** It was made since the call began, by the server's own clock where that is known, and it is what was asked for. */
    private static boolean isMade(JsonNode there, ObjectNode create, Instant serverTime, Budget budget) {
        Instant now = serverTime == null ? Instant.now() : serverTime;
        Instant began = now.minus(budget.elapsed()).minus(CLOCKS_APART);
        Instant createdAt = OffsetDateTime.parse(there.path("createdAt").asText()).toInstant();
        return !createdAt.isBefore(began) && SameTimer.isAsAsked(there, create);
    }
}
