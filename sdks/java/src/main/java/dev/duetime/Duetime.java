package dev.duetime;

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
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The client whose methods return when the service has answered, and throw a {@link DuetimeException} when they fail. Threads can share it. */
public final class Duetime {
    private final DuetimeAsync async;

    /**
     * Does not connect before the first call.
     *
     * @param options how the service is reached
     */
    public Duetime(DuetimeOptions options) {
        this.async = new DuetimeAsync(options);
    }

    /**
     * Does not connect before the first call.
     *
     * @param url where the service is
     */
    public Duetime(String url) {
        this(DuetimeOptions.builder(url).build());
    }

    /**
     * The same client with futures.
     *
     * @return it shares the connections of this one
     */
    public DuetimeAsync async() {
        return async;
    }

    /**
     * Stored on disk when it returns. Without an id it gets one here, before it is first sent: sent twice, it still is one timer that
     * fires once. A timer of the same id is replaced unless {@code onConflict} says otherwise.
     *
     * @param timer what to call and when
     * @return the timer
     */
    public Timer create(NewTimer timer) {
        return DuetimeAsync.timer(result(async.created(timer, async.budget())));
    }

    /**
     * Any number, 1,000 to a request. Each has its own result, in order: a bad one fails alone.
     *
     * @param timers what to call and when
     * @param onConflict for those that do not say what happens when their id is taken
     * @return as many results
     */
    public List<BatchResult> batch(List<NewTimer> timers, OnConflict onConflict) {
        return result(async.batch(timers, onConflict));
    }

    /**
     * Creates, updates and cancels together: any number, 1,000 to a request. Each has its own result, in order: a bad one fails alone. What
     * is said of one timer is carried out in order.
     *
     * @param items what to do
     * @return as many results
     */
    public List<BatchResult> batch(List<BatchItem> items) {
        return result(async.batch(items));
    }

    /**
     * Finished timers can be read while the service retains them. Throws a {@link TimerNotFoundException} when there is none.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer get(String id) {
        return result(async.get(id));
    }

    /**
     * The same with the values of the callback's headers.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer getWithSecrets(String id) {
        return result(async.getWithSecrets(id));
    }

    /**
     * It does not fire until it is resumed.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer pause(String id) {
        return result(async.pause(id));
    }

    /**
     * The same, until this instant at the latest.
     *
     * @param id of the timer
     * @param until when the pause ends by itself
     * @return the timer
     */
    public Timer pause(String id, Instant until) {
        return result(async.pause(id, until));
    }

    /**
     * What came due during the pause fires at once.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer resume(String id) {
        return result(async.resume(id));
    }

    /**
     * Makes it due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was lost, since it
     * would fire twice.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer trigger(String id) {
        return result(async.trigger(id));
    }

    /**
     * Only what is given changes. Once it returns, the old version never fires. Throws a {@link ConflictException} when it is too late.
     *
     * @param id of the timer
     * @param changes of it
     * @return the timer
     */
    public Timer update(String id, TimerChanges changes) {
        return DuetimeAsync.timer(result(async.changed("update", async.updateBody(id, changes), async.budget())));
    }

    /**
     * Once it returns, the delivery never starts. Throws a {@link ConflictException} when it is too late.
     *
     * @param id of the timer
     */
    public void cancel(String id) {
        result(async.changed("delete", async.cancelBody(id, null), async.budget()));
    }

    /**
     * The same for a timer that still has this version.
     *
     * @param id of the timer
     * @param ifVersion its version
     */
    public void cancel(String id, int ifVersion) {
        result(async.changed("delete", async.cancelBody(id, ifVersion), async.budget()));
    }

    /**
     * Brings a failed timer back: its delivery starts at once, with all its attempts.
     *
     * @param id of the timer
     * @return the timer
     */
    public Timer retry(String id) {
        return result(async.retry(id));
    }

    /**
     * One page of a list; its {@code nextCursor} leads to the next one.
     *
     * @param query which timers
     * @return the page
     */
    public TimerPage page(TimerQuery query) {
        return result(async.page(query));
    }

    /**
     * When a timer like this, created now, would fire. Nothing is stored.
     *
     * @param query the schedule
     * @return the next firings
     */
    public Preview preview(PreviewQuery query) {
        return result(async.preview(query));
    }

    /**
     * Every pending or paused timer that matches, however many.
     *
     * @param filter which timers
     * @param dryRun only count them
     * @return how many
     */
    public Canceled cancelMany(BulkFilter filter, boolean dryRun) {
        return result(async.cancelMany(filter, dryRun));
    }

    /**
     * Every failed timer that matches, however many.
     *
     * @param filter which timers
     * @param dryRun only count them
     * @return how many
     */
    public Retried retryMany(BulkFilter filter, boolean dryRun) {
        return result(async.retryMany(filter, dryRun));
    }

    /**
     * How many timers there are by status, and what happened lately, in all namespaces that the key may see.
     *
     * @return the overview
     */
    public Overview overview() {
        return result(async.overview());
    }

    /**
     * The same of one namespace.
     *
     * @param namespace of the timers
     * @return the overview
     */
    public Overview overview(String namespace) {
        return result(async.overview(namespace));
    }

    /**
     * How many timers come due in the next seconds, minutes, hours or days.
     *
     * @param query in which steps, and of which namespace
     * @return the steps
     */
    public Forecast forecast(ForecastQuery query) {
        return result(async.forecast(query));
    }

    /**
     * Sends one delivery now, exactly as a timer would, and tells what came of it. Nothing is stored. Never sent twice.
     *
     * @param test the callback
     * @return what came of it
     */
    public CallbackTestResult testCallback(CallbackTest test) {
        return result(async.testCallback(test));
    }

    /**
     * Every timer that matches, page by page; {@code limit} is the size of a page.
     *
     * @param query which timers
     * @return can be iterated more than once, and asks again each time
     */
    public Iterable<Timer> list(TimerQuery query) {
        return () -> new Pages(query);
    }

    /** The next page is asked for when the one before has been read. */
    private final class Pages implements Iterator<Timer> {
        private TimerQuery following;
        private Iterator<Timer> timers = List.<Timer>of().iterator();

        private Pages(TimerQuery query) {
            following = query;
        }

        @Override
        public boolean hasNext() {
            while (!timers.hasNext() && following != null) {
                TimerPage page = page(following);
                timers = page.timers().iterator();
                following = DuetimeAsync.next(following, page);
            }
            return timers.hasNext();
        }

        @Override
        public Timer next() {
            if (!hasNext()) throw new NoSuchElementException();
            return timers.next();
        }
    }

    private static <T> T result(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException error) {
            if (error.getCause() instanceof RuntimeException cause) throw cause;
            throw error;
        }
    }
}
