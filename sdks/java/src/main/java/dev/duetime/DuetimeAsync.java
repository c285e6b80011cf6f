package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.duetime.Transport.Budget;
import dev.duetime.Transport.Call;
import dev.duetime.model.BulkFilter;
import dev.duetime.model.CallbackTest;
import dev.duetime.model.CallbackTestResult;
import dev.duetime.model.Canceled;
import dev.duetime.model.Forecast;
import dev.duetime.model.ForecastQuery;
import dev.duetime.model.NewTimer;
import dev.duetime.model.OnConflict;
import dev.duetime.model.Overview;
import dev.duetime.model.Preview;
import dev.duetime.model.PreviewQuery;
import dev.duetime.model.Retried;
import dev.duetime.model.Timer;
import dev.duetime.model.TimerChanges;
import dev.duetime.model.TimerPage;
import dev.duetime.model.TimerQuery;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The client: one method for everything that the service can do with timers. A future that fails has a {@link DuetimeException}. Threads can
 * share it. A create, update or cancel whose future is canceled is not sent any more; an attempt that is under way may still be carried out.
 */
public final class DuetimeAsync {
    private final DuetimeOptions options;
    private final Transport transport;
    private final Creating creating;
    private final Changing changing;
    private final Batching batching;
    /** Null when each call is a request of its own, sent at once. */
    private final CallOrder order;

    /**
     * Does not connect before the first call.
     *
     * @param options how the service is reached
     */
    public DuetimeAsync(DuetimeOptions options) {
        this.options = options;
        this.transport = new Transport(options);
        this.creating = new Creating(transport);
        this.changing = new Changing(transport);
        this.batching = new Batching(transport, changing);
        this.order = options.gather() ? new CallOrder() : null;
    }

    /**
     * Stored on disk when it completes. Without an id it gets one here, before it is first sent: sent twice, it still is one timer that
     * fires once. A timer of the same id is replaced unless {@code onConflict} says otherwise.
     *
     * @param timer what to call and when
     * @return the timer
     */
    public CompletableFuture<Timer> create(NewTimer timer) {
        Budget budget = transport.budget();
        return shown(created(timer, budget), budget, DuetimeAsync::timer);
    }

    CompletableFuture<JsonNode> created(NewTimer timer, Budget budget) {
        ObjectNode body = Creating.ready(timer, options.namespace(), OnConflict.REPLACE);
        Supplier<CompletableFuture<JsonNode>> call = () -> creating.create(body, budget);
        // Of an id that is made here nobody else can know.
        return timer.id() == null ? call.get() : inTurn(body.get("namespace").asText(), timer.id(), budget, call);
    }

    CompletableFuture<JsonNode> changed(String verb, ObjectNode body, Budget budget) {
        Supplier<CompletableFuture<JsonNode>> call = () -> changing.change(verb, body, budget);
        return inTurn(options.namespace(), body.get("timerId").asText(), budget, call);
    }

    private <T> CompletableFuture<T> inTurn(String namespace, String id, Budget budget, Supplier<CompletableFuture<T>> call) {
        return order == null ? call.get() : order.run(namespace + "/" + id, budget, call);
    }

    Budget budget() {
        return transport.budget();
    }

    static Timer timer(JsonNode json) {
        return Json.read(json, Timer.class);
    }

    /** In a thread of its own: what the program does with it must not hold up the other calls of the request. */
    private static <T> CompletableFuture<T> shown(CompletableFuture<JsonNode> answer, Budget budget, Function<JsonNode, T> result) {
        CompletableFuture<T> shown = answer.thenApplyAsync(result);
        shown.whenComplete((value, thrown) -> {
            if (shown.isCancelled()) budget.canceled().complete(null);
        });
        return shown;
    }

    /**
     * Any number, 1,000 to a request. Each has its own result, in order: a bad one fails alone.
     *
     * @param timers what to call and when
     * @param onConflict for those that do not say what happens when their id is taken
     * @return as many results
     */
    public CompletableFuture<List<BatchResult>> batch(List<NewTimer> timers, OnConflict onConflict) {
        List<Batching.Item> items = timers.stream().map(timer -> item(timer, onConflict)).toList();
        return batching.batch(items, transport.budget());
    }

    /**
     * Creates, updates and cancels together: any number, 1,000 to a request. Each has its own result, in order: a bad one fails alone. What
     * is said of one timer is carried out in order.
     *
     * @param items what to do
     * @return as many results
     */
    public CompletableFuture<List<BatchResult>> batch(List<BatchItem> items) {
        return batching.batch(items.stream().map(this::item).toList(), transport.budget());
    }

    private Batching.Item item(NewTimer timer, OnConflict onConflict) {
        return new Batching.Item("create", Creating.ready(timer, options.namespace(), onConflict));
    }

    private Batching.Item item(BatchItem item) {
        if (item.create != null) return item(item.create, OnConflict.REPLACE);
        if (item.update != null) return new Batching.Item("update", updateBody(item.id, item.update));
        return new Batching.Item("delete", cancelBody(item.id, item.ifVersion));
    }

    /**
     * Finished timers can be read while the service retains them. Fails with a {@link TimerNotFoundException} when there is none.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> get(String id) {
        return timerOf(Call.of("timers/get", named(id)));
    }

    /**
     * The same with the values of the callback's headers.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> getWithSecrets(String id) {
        return timerOf(Call.of("timers/get", named(id).put("includeSecrets", true)));
    }

    /**
     * It does not fire until it is resumed.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> pause(String id) {
        return timerOf(Call.of("timers/pause", named(id)));
    }

    /**
     * The same, until this instant at the latest.
     *
     * @param id of the timer
     * @param until when the pause ends by itself
     * @return the timer
     */
    public CompletableFuture<Timer> pause(String id, Instant until) {
        return timerOf(Call.of("timers/pause", named(id).put("until", Json.text(until))));
    }

    /**
     * What came due during the pause fires at once.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> resume(String id) {
        return timerOf(Call.of("timers/resume", named(id)));
    }

    /**
     * Makes it due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was lost, since it
     * would fire twice.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> trigger(String id) {
        return timerOf(Call.once("timers/trigger", named(id)));
    }

    /**
     * Only what is given changes. Once it completes, the old version never fires. Fails with a {@link ConflictException} when it is too late.
     *
     * @param id of the timer
     * @param changes of it
     * @return the timer
     */
    public CompletableFuture<Timer> update(String id, TimerChanges changes) {
        Budget budget = transport.budget();
        return shown(changed("update", updateBody(id, changes), budget), budget, DuetimeAsync::timer);
    }

    ObjectNode updateBody(String id, TimerChanges changes) {
        return Json.object(changes).setAll(named(id));
    }

    /**
     * Once it completes, the delivery never starts. Fails with a {@link ConflictException} when it is too late.
     *
     * @param id of the timer
     * @return when it is canceled
     */
    public CompletableFuture<Void> cancel(String id) {
        return cancel(cancelBody(id, null));
    }

    /**
     * The same for a timer that still has this version.
     *
     * @param id of the timer
     * @param ifVersion its version
     * @return when it is canceled
     */
    public CompletableFuture<Void> cancel(String id, int ifVersion) {
        return cancel(cancelBody(id, ifVersion));
    }

    ObjectNode cancelBody(String id, Integer ifVersion) {
        return ifVersion == null ? named(id) : named(id).put("ifVersion", ifVersion);
    }

    private CompletableFuture<Void> cancel(ObjectNode body) {
        Budget budget = transport.budget();
        return shown(changed("delete", body, budget), budget, none -> null);
    }

    /**
     * Brings a failed timer back: its delivery starts at once, with all its attempts.
     *
     * @param id of the timer
     * @return the timer
     */
    public CompletableFuture<Timer> retry(String id) {
        Budget budget = transport.budget();
        return shown(changed("retry", named(id), budget), budget, DuetimeAsync::timer);
    }

    /**
     * One page of a list; its {@code nextCursor} leads to the next one.
     *
     * @param query which timers
     * @return the page
     */
    public CompletableFuture<TimerPage> page(TimerQuery query) {
        return ask("list", inNamespace(Json.object(query)), TimerPage.class);
    }

    /** Where the next page begins; null after the last one. Sorted lists have a total instead of a cursor. */
    static TimerQuery next(TimerQuery query, TimerPage page) {
        if (page.nextCursor() != null) return query.toBuilder().cursor(page.nextCursor()).build();
        if (page.nextOffset() != null) return query.toBuilder().offset(page.nextOffset()).build();
        int end = (query.offset() == null ? 0 : query.offset()) + page.timers().size();
        boolean isOver = page.total() == null || page.timers().isEmpty() || end >= page.total();
        return isOver ? null : query.toBuilder().offset(end).build();
    }

    /**
     * When a timer like this, created now, would fire. Nothing is stored.
     *
     * @param query the schedule
     * @return the next firings
     */
    public CompletableFuture<Preview> preview(PreviewQuery query) {
        return ask("preview", Json.object(query), Preview.class);
    }

    /**
     * Every pending or paused timer that matches, however many.
     *
     * @param filter which timers
     * @param dryRun only count them
     * @return how many
     */
    public CompletableFuture<Canceled> cancelMany(BulkFilter filter, boolean dryRun) {
        ObjectNode body = Json.object(filter);
        // The service asks for this too, but takes the client's own namespace, which is always sent, for an answer.
        List<String> ways = List.of("namespace", "metadataKey", "dueFrom", "dueTo");
        if (!body.path("all").asBoolean() && ways.stream().noneMatch(body::has)) {
            String message = "say which timers: " + String.join(", ", ways) + ", or all for every timer of the namespace";
            return CompletableFuture.failedFuture(DuetimeException.invalidInput("all", message));
        }
        return askWhileMore("cancel", "canceled", inNamespace(body).put("dryRun", dryRun), null).thenApply(sums -> Json.read(sums, Canceled.class));
    }

    /**
     * Every failed timer that matches, however many.
     *
     * @param filter which timers
     * @param dryRun only count them
     * @return how many
     */
    public CompletableFuture<Retried> retryMany(BulkFilter filter, boolean dryRun) {
        ObjectNode body = inNamespace(Json.object(filter)).put("all", true).put("dryRun", dryRun);
        return askWhileMore("retry", "retried", body, null).thenApply(sums -> Json.read(sums, Retried.class));
    }

    /** Asks until the service says that there are no more: it changes a bounded number at a time. */
    private CompletableFuture<JsonNode> askWhileMore(String verb, String counted, ObjectNode body, ObjectNode before) {
        return ask(verb, body, JsonNode.class).thenCompose(answer -> {
            ObjectNode sums = JsonNodeFactory.instance.objectNode();
            for (Iterator<String> names = List.of("matched", "tooLate", counted).iterator(); names.hasNext(); ) {
                String name = names.next();
                sums.put(name, answer.path(name).asInt() + (before == null ? 0 : before.path(name).asInt()));
            }
            boolean more = answer.path("more").asBoolean();
            sums.put("more", more);
            // Nothing changed although there are more: they are too late, and asking again would find the same ones.
            boolean isOver = !more || body.path("dryRun").asBoolean() || answer.path(counted).asInt() == 0;
            return isOver ? CompletableFuture.completedFuture(sums) : askWhileMore(verb, counted, body, sums);
        });
    }

    /**
     * How many timers there are by status, and what happened lately, in all namespaces that the key may see.
     *
     * @return the overview
     */
    public CompletableFuture<Overview> overview() {
        return look("overview", Map.of(), Overview.class);
    }

    /**
     * The same of one namespace.
     *
     * @param namespace of the timers
     * @return the overview
     */
    public CompletableFuture<Overview> overview(String namespace) {
        return look("overview", Map.of("namespace", namespace), Overview.class);
    }

    /**
     * How many timers come due in the next seconds, minutes, hours or days.
     *
     * @param query in which steps, and of which namespace
     * @return the steps
     */
    public CompletableFuture<Forecast> forecast(ForecastQuery query) {
        Map<String, String> fields = new TreeMap<>();
        Json.object(query).fields().forEachRemaining(field -> fields.put(field.getKey(), field.getValue().asText()));
        return look("forecast", fields, Forecast.class);
    }

    /**
     * Sends one delivery now, exactly as a timer would, and tells what came of it. Nothing is stored. Never sent twice.
     *
     * @param test the callback
     * @return what came of it
     */
    public CompletableFuture<CallbackTestResult> testCallback(CallbackTest test) {
        ObjectNode body = inNamespace(Json.object(test));
        return transport
                .request(Call.once("callbacks/test", body), transport.budget())
                .thenApply(answer -> Json.read(answer.body(), CallbackTestResult.class));
    }

    private <T> CompletableFuture<T> look(String path, Map<String, String> query, Class<T> type) {
        String asked = query.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        Call call = Call.get(asked.isEmpty() ? path : path + "?" + asked);
        return transport.request(call, transport.budget()).thenApply(answer -> Json.read(answer.body(), type));
    }

    private CompletableFuture<Timer> timerOf(Call call) {
        return transport.request(call, transport.budget()).thenApply(answer -> Json.read(answer.body(), Timer.class));
    }

    private <T> CompletableFuture<T> ask(String verb, JsonNode body, Class<T> type) {
        return transport.request(Call.of("timers/" + verb, body), transport.budget()).thenApply(answer -> Json.read(answer.body(), type));
    }

    private ObjectNode named(String id) {
        return JsonNodeFactory.instance.objectNode().put("namespace", options.namespace()).put("timerId", id);
    }

    private ObjectNode inNamespace(ObjectNode body) {
        return body.has("namespace") ? body : body.put("namespace", options.namespace());
    }
}
