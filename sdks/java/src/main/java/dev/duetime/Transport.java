package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One request, sent as often as it takes: until there is an answer that trying again would not change, or the time or the attempts are
 * used up.
 */
final class Transport {
    private static final long FIRST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 5_000;
    private static final int QUOTED_CHARS_MAX = 200;
    private static final Set<Integer> RETRIED_STATUSES = Set.of(429, 502, 503, 504);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final DuetimeOptions options;
    private final Gatherer gatherer;

    Transport(DuetimeOptions options) {
        this.options = options;
        this.gatherer = options.gather() ? new Gatherer(this::sendBatch) : null;
    }

    /** What is left for a call; several requests of one call share it. Once it is canceled nothing more is sent. */
    record Budget(long startedNanos, long deadlineNanos, CompletableFuture<Void> canceled) {
        boolean isCanceled() {
            return canceled.isDone();
        }

        long leftMillis() {
            return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        }

        Duration elapsed() {
            return Duration.ofNanos(System.nanoTime() - startedNanos);
        }
    }

    /**
     * A request.
     *
     * @param path what follows /api/v1/
     * @param body is asked for every attempt: true when one before may have been carried out although its answer is not known; null for a GET
     * @param onceOnly is for what must not happen twice: it is not sent again once it may have been carried out
     * @param action what it is in a batch: create, update or delete; null for what goes alone
     */
    record Call(String path, Function<Boolean, JsonNode> body, boolean onceOnly, String action) {
        static Call of(String path, JsonNode body) {
            return of(path, uncertain -> body);
        }

        static Call of(String path, Function<Boolean, JsonNode> body) {
            return new Call(path, body, false, null);
        }

        static Call once(String path, JsonNode body) {
            return new Call(path, uncertain -> body, true, null);
        }

        static Call get(String path) {
            return new Call(path, null, false, null);
        }

        static Call gathered(String action, Function<Boolean, JsonNode> body) {
            return new Call("timers/" + action, body, false, action);
        }
    }

    record Answer(JsonNode body, Instant serverTime, String requestId) {}

    Budget budget() {
        long now = System.nanoTime();
        return new Budget(now, now + options.timeout().toNanos(), new CompletableFuture<>());
    }

    int retries() {
        return options.retries();
    }

    CompletableFuture<Answer> request(Call call, Budget budget) {
        return attempt(call, budget, 1, false);
    }

    private CompletableFuture<Answer> attempt(Call call, Budget budget, int attempt, boolean uncertain) {
        if (budget.isCanceled()) return CompletableFuture.failedFuture(new CancellationException());
        return send(call, budget, attempt, uncertain)
                .handle((answer, thrown) -> {
                    if (thrown == null) return CompletableFuture.completedFuture(answer);
                    boolean canRetry = cause(thrown) instanceof DuetimeException error && error.retryable() && attempt <= options.retries();
                    if (!canRetry) return CompletableFuture.<Answer>failedFuture(cause(thrown));
                    DuetimeException error = (DuetimeException) cause(thrown);
                    boolean isUncertain = uncertain || mayHaveHappened(error);
                    if (isUncertain && call.onceOnly()) return CompletableFuture.<Answer>failedFuture(error);
                    return pause(attempt - 1, error, budget).thenCompose(none -> attempt(call, budget, attempt + 1, isUncertain));
                })
                .thenCompose(Function.identity());
    }

    /** Waits before the next attempt. Fails with the error at once when that would be after the deadline. */
    CompletableFuture<Void> pause(int retry, DuetimeException error, Budget budget) {
        long wait = backoffMillis(retry, error.retryAfter());
        if (wait >= budget.leftMillis()) return CompletableFuture.failedFuture(error);
        return CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS));
    }

    /** Exponential with full jitter, so that clients that failed together do not come back together. */
    static long backoffMillis(int retry, Duration retryAfter) {
        long ceiling = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(retry, 20));
        long jitter = ThreadLocalRandom.current().nextLong(ceiling);
        return retryAfter == null ? jitter : retryAfter.toMillis() + Math.min(jitter, 500);
    }

    /** Everything but a server that says it did not. */
    static boolean mayHaveHappened(DuetimeException error) {
        return error.status() != 429 && !error.code().equals("NOT_OWNER");
    }

    /** What goes wrong before it is sent, such as asking for the key, is a failure as well. */
    static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> send) {
        try {
            return send.get();
        } catch (RuntimeException error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    /** One attempt: alone, or with others that are made at the same time. */
    private CompletableFuture<Answer> send(Call call, Budget budget, int attempt, boolean uncertain) {
        DuetimeException.Facts facts = DuetimeException.Facts.of(newRequestId(), attempt);
        byte[] body = call.body() == null ? null : Json.bytes(call.body().apply(uncertain));
        // What is sent once only has no second attempt to save time for.
        long left = budget.leftMillis();
        long millis = Math.max(1, call.onceOnly() ? left : Math.min(left, options.attemptTimeout().toMillis()));
        Supplier<CompletableFuture<Answer>> alone = () -> exchange(call.path(), body, millis, facts);
        if (gatherer == null || call.action() == null) return alone.get();
        return gatherer.send(new Gatherer.Attempt(call.action(), body, alone, budget, facts), millis);
    }

    private CompletableFuture<Answer> sendBatch(byte[] body) {
        DuetimeException.Facts facts = DuetimeException.Facts.of(newRequestId(), 1);
        // The calls that wait for it end by time limits of their own.
        return exchange("timers/batch", body, Math.max(1, options.attemptTimeout().toMillis()), facts);
    }

    /**
     * One request, sent once.
     *
     * @param body null for a GET
     */
    private CompletableFuture<Answer> exchange(String path, byte[] body, long millis, DuetimeException.Facts facts) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(options.url() + "/api/v1/" + path))
                .timeout(Duration.ofMillis(millis))
                .header("Accept", "application/json")
                .header("X-Request-ID", facts.requestId());
        String apiKey = options.apiKey().get();
        if (apiKey != null) request.header("X-API-Key", apiKey);
        options.headers().forEach(request::setHeader);
        if (body != null) {
            request.setHeader("Content-Type", "application/json");
            request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
        }
        // The request's own limit ends with the first byte of the answer; this one with the last.
        return options.httpClient()
                .sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .orTimeout(millis, TimeUnit.MILLISECONDS)
                .handle((response, thrown) -> {
                    if (thrown == null) return read(response, facts);
                    throw new CompletionException(noAnswer(cause(thrown), facts));
                });
    }

    static DuetimeException noAnswer(Throwable cause, DuetimeException.Facts facts) {
        boolean isTimeout = cause instanceof HttpTimeoutException || cause instanceof TimeoutException;
        String message = isTimeout ? "the service did not answer in time" : "the service cannot be reached: " + cause;
        String code = isTimeout ? DuetimeException.TIMEOUT : DuetimeException.NETWORK;
        return DuetimeException.of(code, message, facts.retrying(true, null), cause);
    }

    private static Answer read(HttpResponse<String> response, DuetimeException.Facts about) {
        int status = response.statusCode();
        JsonNode body = parsed(response.body());
        if (status >= 200 && status < 300 && body != null) {
            return new Answer(body, response.headers().firstValue("date").map(Transport::httpDate).orElse(null), about.requestId());
        }
        Duration wait = response.headers().firstValue("retry-after").map(Transport::retryAfter).orElse(null);
        DuetimeException.Facts facts = about.retrying(RETRIED_STATUSES.contains(status), wait);
        if (status >= 300 && body != null && body.path("error").isTextual()) {
            Instant serverTime = body.path("timestamp").isTextual() ? instant(body.get("timestamp").asText()) : null;
            throw DuetimeException.of(
                    body.get("error").asText(),
                    body.path("message").asText(),
                    facts.answered(status, body.get("details"), serverTime),
                    null);
        }
        // A proxy's page, or another program on that port.
        String text = response.body().strip();
        String shown = text.substring(0, Math.min(text.length(), QUOTED_CHARS_MAX));
        String message = text.isEmpty() ? "without a body" : "with a body that is not Duetime's: " + shown;
        throw DuetimeException.of(
                DuetimeException.BAD_ANSWER, "HTTP " + status + " " + message, facts.answered(status, null, null), null);
    }

    /** Null when it is not JSON. */
    private static JsonNode parsed(String text) {
        if (text.isEmpty()) return NullNode.getInstance();
        try {
            return Json.MAPPER.readTree(text);
        } catch (IOException error) {
            return null;
        }
    }

    /** Seconds, or a date; null when it is neither. */
    static Duration retryAfter(String value) {
        try {
            return Duration.ofMillis((long) (Double.parseDouble(value) * 1_000));
        } catch (NumberFormatException error) {
            Instant at = httpDate(value);
            return at == null ? null : Duration.between(Instant.now(), at).isNegative() ? Duration.ZERO : Duration.between(Instant.now(), at);
        }
    }

    private static Instant httpDate(String value) {
        try {
            return ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        } catch (DateTimeException error) {
            return null;
        }
    }

    private static Instant instant(String value) {
        try {
            return OffsetDateTime.parse(value).toInstant();
        } catch (DateTimeException error) {
            return null;
        }
    }

    private static String newRequestId() {
        byte[] bytes = new byte[10];
        RANDOM.nextBytes(bytes);
        return "req_" + HexFormat.of().formatHex(bytes);
    }
}
