package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Budget;
import dev.duetime.Transport.Call;
import dev.duetime.model.ErrorCode;
import dev.duetime.model.NewTimer;
import dev.duetime.model.OnConflict;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
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
                .request(Call.gathered("create", body), budget)
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

    static boolean isRejecting(ObjectNode create) {
        return create.path("onConflict").asText().equals(OnConflict.REJECT.word());
    }

    static ObjectNode withoutReplacing(ObjectNode create) {
        if (!create.path("onConflict").asText().equals(OnConflict.REPLACE.word())) return create;
        return create.deepCopy().put("onConflict", OnConflict.REJECT.word());
    }

    static JsonNode timerInTheWay(Throwable cause) {
        boolean isTaken = cause instanceof DuetimeException error && error.code().equals(ErrorCode.TIMER_ALREADY_EXISTS);
        return isTaken ? ((DuetimeException) cause).details().get("timer") : null;
    }

    /** It was made since the call began, by the server's own clock where that is known, and it is what was asked for. */
    static boolean isMade(JsonNode there, ObjectNode create, Instant serverTime, Budget budget) {
        Instant now = serverTime == null ? Instant.now() : serverTime;
        Instant began = now.minus(budget.elapsed()).minus(CLOCKS_APART);
        Instant createdAt = OffsetDateTime.parse(there.path("createdAt").asText()).toInstant();
        return !createdAt.isBefore(began) && SameTimer.isAsAsked(there, create);
    }
}
