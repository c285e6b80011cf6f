package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Answer;
import dev.duetime.Transport.Budget;
import dev.duetime.Transport.Call;
import dev.duetime.model.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Many creates, updates and cancels in as few requests as it takes. Each has its own result, and can be carried out twice by an unlucky
 * retry without harm, as if it had been called alone.
 */
final class Batching {
    static final int BATCH_TIMERS_MAX = 1_000;
    static final int BATCH_BYTES_MAX = 300_000; // far below the 8 MiB that the service takes

    private final Transport transport;
    private final Changing changing;

    Batching(Transport transport, Changing changing) {
        this.transport = transport;
        this.changing = changing;
    }

    /** What is still to be done, and what came of it. */
    static final class Item {
        private final String action;
        private final ObjectNode body;
        private boolean uncertain;
        private BatchResult result;

        /**
         * Not sent yet.
         *
         * @param action create, update or delete
         */
        Item(String action, ObjectNode body) {
            this.action = action;
            this.body = body;
        }

        private boolean isCreate() {
            return action.equals("create");
        }

        private JsonNode sent() {
            if (isCreate()) return uncertain ? Creating.withoutReplacing(body) : body;
            return body.deepCopy().put("action", action);
        }

        /** Null: nobody knows its id yet. */
        private String timer() {
            JsonNode id = body.get(isCreate() ? "id" : "timerId");
            return id == null ? null : body.get("namespace").asText() + "/" + id.asText();
        }
    }

    /** Results in the order of the items. */
    CompletableFuture<List<BatchResult>> batch(List<Item> items, Budget budget) {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        for (List<Item> chunk : chunks(items)) done = done.thenCompose(none -> sendChunk(chunk, budget, 0));
        return done.thenApply(none -> items.stream().map(item -> item.result).toList());
    }

    private CompletableFuture<Void> sendChunk(List<Item> items, Budget budget, int retry) {
        List<Item> open = items.stream().filter(item -> item.result == null).toList();
        if (open.isEmpty()) return CompletableFuture.completedFuture(null);
        return sendItems(open, budget).thenCompose(busy -> {
            if (busy == null) return sendChunk(items, budget, retry);
            CompletableFuture<Void> wait =
                    retry >= transport.retries() ? CompletableFuture.failedFuture(busy) : transport.pause(retry, busy, budget);
            return wait.handle((none, thrown) -> {
                        // The others have their results: what is left has this one.
                        if (thrown != null) open.stream().filter(item -> item.result == null).forEach(item -> item.result = new BatchResult(null, busy));
                        return sendChunk(items, budget, retry + 1);
                    })
                    .thenCompose(Function.identity());
        });
    }

    /** The failure of those that are to be sent again after a while; null when there are none. */
    private CompletableFuture<DuetimeException> sendItems(List<Item> items, Budget budget) {
        Function<Boolean, JsonNode> body = uncertain -> {
            ArrayNode sent = JsonNodeFactory.instance.arrayNode();
            for (Item item : items) {
                item.uncertain |= uncertain;
                sent.add(item.sent());
            }
            return JsonNodeFactory.instance.objectNode().set("timers", sent);
        };
        return transport.request(Call.of("timers/batch", body), budget).thenCompose(answer -> {
            DuetimeException busy = null;
            CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);
            for (int index = 0; index < items.size(); index++) {
                Item item = items.get(index);
                JsonNode answered = answer.body().path("results").path(index);
                int status = answered.path("status").asInt();
                if (status >= 200 && status < 300) {
                    item.result = new BatchResult(answered.has("timer") ? Json.read(answered.get("timer"), Timer.class) : null, null);
                    continue;
                }
                DuetimeException error = itemError(answered, answer);
                if (error.retryable()) {
                    item.uncertain |= Transport.mayHaveHappened(error);
                    busy = error;
                } else if (item.isCreate()) item.result = settledCreate(item, error, answer.serverTime(), budget);
                else settled = settled.thenCompose(none -> settleChange(item, error, budget));
            }
            DuetimeException toSendAgain = busy;
            return settled.thenApply(none -> toSendAgain);
        });
    }

    /** Null: to be sent again as it was at first. */
    private static BatchResult settledCreate(Item item, DuetimeException error, Instant serverTime, Budget budget) {
        JsonNode there = item.uncertain ? Creating.timerInTheWay(error) : null;
        if (there == null) return new BatchResult(null, error);
        if (Creating.isMade(there, item.body, serverTime, budget)) return new BatchResult(Json.read(there, Timer.class), null);
        item.uncertain = false;
        return Creating.isRejecting(item.body) ? new BatchResult(null, error) : null;
    }

    private CompletableFuture<Void> settleChange(Item item, DuetimeException error, Budget budget) {
        CompletableFuture<JsonNode> found =
                item.uncertain ? changing.changedBefore(item.action, item.body, error, budget) : CompletableFuture.completedFuture(null);
        return found.thenAccept(timer -> {
            if (timer == null) item.result = new BatchResult(null, error);
            else item.result = new BatchResult(item.action.equals("delete") ? null : Json.read(timer, Timer.class), null);
        });
    }

    static DuetimeException itemError(JsonNode answered, Answer batch) {
        int status = answered.path("status").asInt();
        JsonNode wait = answered.path("details").path("retryAfterMs");
        DuetimeException.Facts facts = DuetimeException.Facts.of(batch.requestId(), 1)
                .answered(status, answered.get("details"), batch.serverTime())
                .retrying(status == 503 || status == 429, wait.isNumber() ? Duration.ofMillis(wait.asLong()) : null);
        return DuetimeException.of(answered.path("error").asText(), answered.path("message").asText(), facts, null);
    }

    /**
     * By number and, since payloads can be large, by size. A timer is in one only once: what is said of it first has ended, with all its
     * attempts, before the next is sent.
     */
    private static List<List<Item>> chunks(List<Item> items) {
        List<List<Item>> all = new ArrayList<>();
        List<Item> chunk = new ArrayList<>();
        Set<String> timers = new HashSet<>();
        int size = 0;
        for (Item item : items) {
            int itemSize = Json.bytes(item.body).length;
            String timer = item.timer();
            boolean isFull = chunk.size() == BATCH_TIMERS_MAX || size + itemSize > BATCH_BYTES_MAX;
            if (!chunk.isEmpty() && (isFull || timer != null && timers.contains(timer))) {
                all.add(chunk);
                chunk = new ArrayList<>();
                timers.clear();
                size = 0;
            }
            chunk.add(item);
            timers.add(timer);
            size += itemSize;
        }
        if (!chunk.isEmpty()) all.add(chunk);
        return all;
    }
}
