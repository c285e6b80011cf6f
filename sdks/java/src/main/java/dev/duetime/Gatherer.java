package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.duetime.Transport.Answer;
import dev.duetime.Transport.Budget;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates, updates and cancels that are called at the same time share requests: what waits while requests are under way goes with the next
 * one, as one batch. Nothing is delayed for it. A call that is alone goes at once, as a request of its own. Only an attempt is shared: what
 * came of it is told to each call as if it had been sent alone, and each decides for itself whether to try again.
 */
final class Gatherer {
    private static final int REQUESTS_MAX = 2; // one is answered while the next one is on its way; more would only make the batches smaller
    private static final long SLOW_MILLIS = 100; // a request that takes longer waits for something that others need not wait for
    private static final int SLOW_REQUESTS_MAX = 62;

    private final Function<byte[], CompletableFuture<Answer>> sendBatch;
    private List<Attempt> waiting = new ArrayList<>();
    private int underWay;
    private int slow;

    /**
     * Nothing is under way.
     *
     * @param sendBatch sends this body of a batch, once
     */
    Gatherer(Function<byte[], CompletableFuture<Answer>> sendBatch) {
        this.sendBatch = sendBatch;
    }

    /** An attempt of one call. */
    static final class Attempt {
        private final String action;
        private final byte[] body;
        private final Supplier<CompletableFuture<Answer>> alone;
        private final Budget budget;
        private final DuetimeException.Facts facts;
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        /**
         * Not sent yet.
         *
         * @param action create, update or delete
         * @param alone sends it as a request of its own
         * @param facts of the call, for its errors
         */
        Attempt(String action, byte[] body, Supplier<CompletableFuture<Answer>> alone, Budget budget, DuetimeException.Facts facts) {
            this.action = action;
            this.body = body;
            this.alone = alone;
            this.budget = budget;
            this.facts = facts;
        }

        /** Each call has an error of its own, with the number of its attempts. */
        private void fail(Throwable cause) {
            answer.completeExceptionally(cause instanceof DuetimeException error ? error.counted(facts.attempts()) : cause);
        }

        private void settle(JsonNode result, Answer batch) {
            int status = result.path("status").asInt();
            JsonNode timer = result.get("timer");
            if (status >= 300) fail(Batching.itemError(result, batch));
            else if (status >= 200 && (timer != null || action.equals("delete")))
                answer.complete(new Answer(timer, batch.serverTime(), batch.requestId()));
            else fail(DuetimeException.of(DuetimeException.BAD_ANSWER, "the batch has no result of this call", facts.answered(200, null, null), null));
        }
    }

    /** What the attempt came to, as if it had been sent alone. Its time limit ends it, and not the request that it shares with others. */
    CompletableFuture<Answer> send(Attempt attempt, long millis) {
        attempt.answer.orTimeout(millis, TimeUnit.MILLISECONDS);
        attempt.budget.canceled().thenRun(() -> attempt.answer.completeExceptionally(new CancellationException()));
        synchronized (this) {
            waiting.add(attempt);
        }
        flush();
        return attempt.answer.exceptionally(thrown -> {
            throw new CompletionException(thrown instanceof TimeoutException ? Transport.noAnswer(thrown, attempt.facts) : thrown);
        });
    }

    private void flush() {
        for (List<Attempt> attempts = next(); !attempts.isEmpty(); attempts = next()) carry(attempts);
    }

    /** The first of those that still wait, as many as a request takes; none when there is no room for a request. */
    private synchronized List<Attempt> next() {
        if (underWay >= REQUESTS_MAX || slow >= SLOW_REQUESTS_MAX) return List.of();
        List<Attempt> attempts = new ArrayList<>();
        int taken = 0;
        int size = 0;
        for (Attempt attempt : waiting) {
            size += attempt.body.length;
            if (!attempts.isEmpty() && (attempts.size() == Batching.BATCH_TIMERS_MAX || size > Batching.BATCH_BYTES_MAX)) break;
            if (!attempt.answer.isDone()) attempts.add(attempt);
            taken++;
        }
        waiting = new ArrayList<>(waiting.subList(taken, waiting.size()));
        if (!attempts.isEmpty()) underWay++;
        return attempts;
    }

    private void carry(List<Attempt> attempts) {
        CompletableFuture<Boolean> slowness = new CompletableFuture<Boolean>().completeOnTimeout(true, SLOW_MILLIS, TimeUnit.MILLISECONDS);
        slowness.thenAccept(isSlow -> {
            if (!isSlow) return;
            count(-1, 1);
            CompletableFuture.runAsync(this::flush);
        });
        exchange(attempts).whenComplete((none, thrown) -> {
            if (slowness.complete(false)) count(-1, 0);
            else count(0, -1);
            flush();
        });
    }

    private synchronized void count(int moreUnderWay, int moreSlow) {
        underWay += moreUnderWay;
        slow += moreSlow;
    }

    /** Each is told what came of it. */
    private CompletableFuture<Void> exchange(List<Attempt> attempts) {
        if (attempts.size() == 1) {
            Attempt attempt = attempts.get(0);
            return Transport.begun(attempt.alone).handle((answer, thrown) -> {
                if (thrown == null) attempt.answer.complete(answer);
                else attempt.answer.completeExceptionally(Transport.cause(thrown));
                return null;
            });
        }
        return Transport.begun(() -> sendBatch.apply(batchOf(attempts)))
                .handle((answer, thrown) -> {
                    Throwable failure = thrown == null ? null : Transport.cause(thrown);
                    if (isRefusedForAnItem(failure)) {
                        // The others are not to suffer from it.
                        int middle = attempts.size() / 2;
                        return exchange(attempts.subList(0, middle))
                                .thenCompose(none -> exchange(attempts.subList(middle, attempts.size())));
                    }
                    for (int index = 0; index < attempts.size(); index++) {
                        if (failure != null) attempts.get(index).fail(failure);
                        else attempts.get(index).settle(answer.body().path("results").path(index), answer);
                    }
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(Function.identity());
    }

    private static byte[] batchOf(List<Attempt> attempts) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        text.writeBytes(bytes("{\"timers\":["));
        String comma = "";
        for (Attempt attempt : attempts) {
            boolean isCreate = attempt.action.equals("create");
            text.writeBytes(bytes(comma + (isCreate ? "{" : "{\"action\":\"" + attempt.action + "\",")));
            text.write(attempt.body, 1, attempt.body.length - 1);
            comma = ",";
        }
        text.writeBytes(bytes("]}"));
        return text.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** One payload is nested too deeply, say, and then the service does not read the whole request. */
    private static boolean isRefusedForAnItem(Throwable failure) {
        return failure instanceof DuetimeException error && (error.status() == 400 || error.status() == 413);
    }
}
