package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.model.BulkFilter;
import dev.duetime.model.CallbackTest;
import dev.duetime.model.ForecastQuery;
import dev.duetime.model.NewTimer;
import dev.duetime.model.OnConflict;
import dev.duetime.model.PreviewQuery;
import dev.duetime.model.Timer;
import dev.duetime.model.TimerChanges;
import dev.duetime.model.TimerQuery;
import dev.duetime.receiver.Answer;
import dev.duetime.receiver.Delivery;
import dev.duetime.receiver.Receiver;
import dev.duetime.receiver.RecentDeliveries;
import dev.duetime.receiver.WebhookVerificationException;
import dev.duetime.receiver.Webhooks;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Makes the calls of the scenarios in sdks/conformance with this SDK. See the README there for the protocol. */
final class ConformanceRunner {
    private Duetime client;
    private final List<Delivery> received = new CopyOnWriteArrayList<>();

    public static void main(String[] args) throws Exception {
        ConformanceRunner runner = new ConformanceRunner();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a framework logs is no answer
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode asked = Json.MAPPER.readTree(line);
            Map<String, Object> answer = new HashMap<>();
            answer.put("id", asked.get("id"));
            try {
                answer.put("value", runner.run(asked.get("op").asText(), (ObjectNode) asked.get("args")));
            } catch (Exception error) {
                answer.put("error", facts(error));
            }
            out.println(Json.MAPPER.writeValueAsString(answer));
        }
        System.exit(0);
    }

    private Object run(String op, ObjectNode args) throws Exception {
        String id = args.path("timerId").asText();
        return switch (op) {
            case "configure" -> configure(args);
            case "create" -> client.create(Json.read(args, NewTimer.class));
            case "preview" -> client.preview(Json.read(args, PreviewQuery.class));
            case "get" -> args.path("includeSecrets").asBoolean() ? client.getWithSecrets(id) : client.get(id);
            case "update" -> client.update(id, Json.read(args, TimerChanges.class));
            case "cancel" -> cancel(id, args);
            case "pause" -> args.has("until") ? client.pause(id, instant(args.get("until"))) : client.pause(id);
            case "resume" -> client.resume(id);
            case "trigger" -> client.trigger(id);
            case "retry" -> client.retry(id);
            case "list" -> list(args);
            case "batch" -> batch(args);
            case "cancelMany" -> client.cancelMany(Json.read(args, BulkFilter.class), args.path("dryRun").asBoolean());
            case "retryMany" -> client.retryMany(Json.read(args, BulkFilter.class), args.path("dryRun").asBoolean());
            case "overview" -> args.has("namespace") ? client.overview(args.get("namespace").asText()) : client.overview();
            case "forecast" -> client.forecast(Json.read(args, ForecastQuery.class));
            case "testCallback" -> client.testCallback(Json.read(args, CallbackTest.class));
            case "verify" -> verify(args);
            case "handle" -> handle(args);
            case "listen" -> listen(args);
            case "received" -> received;
            default -> throw new IllegalArgumentException("no op " + op);
        };
    }

    private Object configure(ObjectNode args) {
        DuetimeOptions.Builder options = DuetimeOptions.builder(args.get("url").asText()).namespace(args.get("namespace").asText());
        if (args.has("apiKey")) options.apiKey(args.get("apiKey").asText());
        if (args.has("timeoutMs")) options.timeout(Duration.ofMillis(args.get("timeoutMs").asLong()));
        if (args.has("attemptTimeoutMs")) options.attemptTimeout(Duration.ofMillis(args.get("attemptTimeoutMs").asLong()));
        if (args.has("retries")) options.retries(args.get("retries").asInt());
        client = new Duetime(options.build());
        received.clear();
        return null;
    }

    private Object cancel(String id, ObjectNode args) {
        if (args.has("ifVersion")) client.cancel(id, args.get("ifVersion").asInt());
        else client.cancel(id);
        return null;
    }

    private Object list(ObjectNode args) {
        List<Timer> timers = new ArrayList<>();
        client.list(Json.read(args, TimerQuery.class)).forEach(timers::add);
        return timers;
    }

    private Object batch(ObjectNode args) {
        List<JsonNode> given = new ArrayList<>();
        args.get("timers").forEach(given::add);
        OnConflict onConflict = args.has("onConflict") ? Json.read(args.get("onConflict"), OnConflict.class) : OnConflict.REPLACE;
        List<BatchResult> results = given.stream().anyMatch(item -> item.has("action"))
                ? client.batch(given.stream().map(ConformanceRunner::item).toList())
                : client.batch(given.stream().map(timer -> Json.read(timer, NewTimer.class)).toList(), onConflict);
        return results.stream()
                .map(result -> result.error() == null
                        ? Collections.singletonMap("timer", result.timer())
                        : Map.of("error", facts(result.error())))
                .toList();
    }

    private static BatchItem item(JsonNode args) {
        String id = args.path("timerId").asText();
        return switch (args.path("action").asText()) {
            case "update" -> BatchItem.update(id, Json.read(args, TimerChanges.class));
            case "delete" -> args.has("ifVersion") ? BatchItem.cancel(id, args.get("ifVersion").asInt()) : BatchItem.cancel(id);
            default -> BatchItem.create(Json.read(args, NewTimer.class));
        };
    }

    private static Instant instant(JsonNode text) {
        return OffsetDateTime.parse(text.asText()).toInstant();
    }

    private static Object verify(ObjectNode args) {
        Map<String, String> headers = headers(args.get("headers"));
        Duration tolerance = args.has("toleranceSeconds") ? Duration.ofSeconds(args.get("toleranceSeconds").asLong()) : Webhooks.TOLERANCE;
        Instant now = Instant.ofEpochSecond(args.get("now").asLong());
        return Map.of("id", Webhooks.verify(bytes(args.get("body")), headers::get, texts(args.get("secrets")), tolerance, now));
    }

    private static Object handle(ObjectNode args) throws Exception {
        AtomicBoolean called = new AtomicBoolean();
        Receiver receiver = new Receiver(delivery -> {
                    called.set(true);
                    return scripted(args.path("answer"));
                })
                .onError((error, delivery) -> {});
        if (args.has("secrets")) receiver.secrets(texts(args.get("secrets")));
        Map<String, String> headers = headers(args.get("headers"));
        Receiver.Reply reply = receiver.handle(args.get("method").asText(), headers::get, bytes(args.get("body")));
        Map<String, String> shown = new HashMap<>();
        reply.headers().forEach((name, value) -> shown.put(name.toLowerCase(Locale.ROOT), value));
        return Map.of("status", reply.status(), "headers", shown, "body", Json.MAPPER.readTree(reply.body()), "called", called.get());
    }

    private Object listen(ObjectNode args) throws Exception {
        Map<String, Iterator<JsonNode>> answers = new HashMap<>();
        args.get("answers").fields().forEachRemaining(entry -> answers.put(entry.getKey(), entry.getValue().iterator()));
        Receiver receiver = new Receiver(delivery -> {
                    received.add(delivery);
                    Iterator<JsonNode> left = answers.get(delivery.id());
                    return left != null && left.hasNext() ? scripted(left.next()) : null;
                })
                .secrets(texts(args.get("secrets")))
                .onError((error, delivery) -> {});
        if (args.path("dedup").asBoolean()) receiver.memory(new RecentDeliveries());
        return Map.of("url", Frameworks.serve(args.path("framework").asText("jdk"), receiver));
    }

    private static Answer scripted(JsonNode answer) {
        String reason = answer.path("reason").asText();
        return switch (answer.path("type").asText()) {
            case "retry" -> answer.has("afterSeconds")
                    ? Answer.retry(reason, Duration.ofMillis((long) (answer.get("afterSeconds").asDouble() * 1_000)))
                    : Answer.retry(reason);
            case "again" -> Answer.againAt(instant(answer.get("at")));
            case "gone" -> Answer.gone(reason);
            case "throw" -> throw new IllegalStateException("as the scenario says");
            case "done" -> Answer.done();
            default -> null;
        };
    }

    private static Map<String, Object> facts(Exception error) {
        if (error instanceof WebhookVerificationException) return Map.of("code", "WEBHOOK_VERIFICATION");
        if (!(error instanceof DuetimeException failure)) return Map.of("code", "RUNNER", "message", String.valueOf(error));
        return Map.of(
                "code", failure.code(),
                "message", String.valueOf(failure.getMessage()),
                "status", failure.status(),
                "retryable", failure.retryable(),
                "attempts", failure.attempts(),
                "details", failure.details(),
                "requestId", failure.requestId());
    }

    private static Map<String, String> headers(JsonNode fields) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.fields().forEachRemaining(entry -> all.put(entry.getKey(), entry.getValue().asText()));
        return all;
    }

    private static List<String> texts(JsonNode list) {
        List<String> all = new ArrayList<>();
        list.forEach(item -> all.add(item.asText()));
        return all;
    }

    private static byte[] bytes(JsonNode text) {
        return text.asText().getBytes(StandardCharsets.UTF_8);
    }
}
