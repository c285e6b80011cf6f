package dev.duetime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.duetime.Transport.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallOrderTest {
    private final CallOrder order = new CallOrder();
    private final List<String> begun = new ArrayList<>();

    private static Budget budget(long millis) {
        return new Budget(System.nanoTime(), System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), new CompletableFuture<>());
    }

    private CompletableFuture<String> run(String timer, String name, Budget budget, CompletableFuture<String> call) {
        return order.run(timer, budget, () -> {
            begun.add(name);
            return call;
        });
    }

    @Test
    void callsOnOneTimerWaitForEachOther() {
        CompletableFuture<String> first = new CompletableFuture<>();
        run("a", "first", budget(60_000), first);
        Budget canceled = budget(60_000);
        run("a", "canceled", canceled, new CompletableFuture<>());
        run("a", "second", budget(60_000), new CompletableFuture<>());
        run("b", "other", budget(60_000), new CompletableFuture<>());
        assertEquals(List.of("first", "other"), begun);
        canceled.canceled().complete(null);
        first.complete("done");
        assertEquals(List.of("first", "other", "second"), begun);
    }

    @Test
    void aCallWhoseTimeIsOverDoesNotWaitOn() {
        CompletableFuture<String> first = new CompletableFuture<>();
        run("a", "first", budget(60_000), first);
        CompletableFuture<String> late = run("a", "late", budget(10), new CompletableFuture<>());
        DuetimeException failure = assertInstanceOf(DuetimeException.class, assertThrows(CompletionException.class, late::join).getCause());
        assertEquals(DuetimeException.TIMEOUT, failure.code());
        run("a", "second", budget(60_000), new CompletableFuture<>());
        first.complete("done");
        assertEquals(List.of("first", "second"), begun);
    }

    @Test
    void aCallThatThrowsLeavesItsTurnToTheNext() {
        CompletableFuture<String> thrown = order.run("a", budget(60_000), () -> {
            throw new IllegalStateException("no key");
        });
        assertTrue(thrown.isCompletedExceptionally());
        run("a", "next", budget(60_000), new CompletableFuture<>());
        assertEquals(List.of("next"), begun);
    }
}
