package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Budget;
import dev.duetime.Transport.Call;
import dev.duetime.model.ErrorCode;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** One change of one timer. One that says it is too late after an answer was lost may have been in time before. */
final class Changing {
    private static final Set<String> CONFLICTS = Set.of(ErrorCode.TIMER_NOT_PENDING, ErrorCode.VERSION_CONFLICT);

    private final Transport transport;

    Changing(Transport transport) {
        this.transport = transport;
    }

    /**
     * The timer, or null for a delete.
     *
     * @param verb update, delete or retry
     */
    CompletableFuture<JsonNode> change(String verb, ObjectNode body, Budget budget) {
        AtomicBoolean repeated = new AtomicBoolean();
        Function<Boolean, JsonNode> sent = uncertain -> {
            repeated.set(uncertain);
            return body;
        };
        return transport
                .request(verb.equals("retry") ? Call.of("timers/retry", sent) : Call.gathered(verb, sent), budget)
                .handle((answer, thrown) -> {
                    if (thrown == null) return CompletableFuture.completedFuture(answer.body());
                    Throwable cause = Transport.cause(thrown);
                    if (!repeated.get()) return CompletableFuture.<JsonNode>failedFuture(cause);
                    return changedBefore(verb, body, cause, budget).thenCompose(timer -> timer == null
                            ? CompletableFuture.<JsonNode>failedFuture(cause)
                            : CompletableFuture.completedFuture(timer));
                })
                .thenCompose(Function.identity());
    }

    /** The timer, if it is as an earlier attempt would have left it; null when the failure is what it says. */
    CompletableFuture<JsonNode> changedBefore(String verb, ObjectNode body, Throwable cause, Budget budget) {
        boolean isConflict = cause instanceof DuetimeException error && CONFLICTS.contains(error.code());
        if (!isConflict) return CompletableFuture.completedFuture(null);
        ObjectNode name = JsonNodeFactory.instance.objectNode();
        name.set("namespace", body.get("namespace"));
        name.set("timerId", body.get("timerId"));
        return transport
                .request(Call.of("timers/get", name), budget)
                .thenApply(found -> isChanged(verb, found.body(), body) ? found.body() : null);
    }

    private static boolean isChanged(String verb, JsonNode timer, ObjectNode body) {
        String status = timer.path("status").asText();
        return switch (verb) {
            case "delete" -> status.equals("canceled");
            case "retry" -> !status.equals("failed");
            default -> SameTimer.isAsAsked(timer, body)
                    && (!body.has("ifVersion") || timer.path("version").asInt() > body.get("ifVersion").asInt());
        };
    }
}
