package dev.duetime;

import dev.duetime.Transport.Budget;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The calls of one client on one timer are carried out in the order in which they were made, each when the one before has ended, with all
 * its attempts. Calls on different timers do not wait for each other.
 */
final class CallOrder {
    /** By timer, the calls that wait behind the one under way. Only timers with a call under way are in here. */
    private final Map<String, Queue<Turn>> waiting = new HashMap<>();

    private record Turn(Budget budget, CompletableFuture<Void> comes) {}

    /** Fails when the time of the call is over before its turn comes. */
    <T> CompletableFuture<T> run(String timer, Budget budget, Supplier<CompletableFuture<T>> call) {
        return turn(timer, budget).thenCompose(none -> Transport.begun(call).whenComplete((value, thrown) -> next(timer)));
    }

    private synchronized CompletableFuture<Void> turn(String timer, Budget budget) {
        Queue<Turn> others = waiting.putIfAbsent(timer, new ArrayDeque<>());
        if (others == null) return CompletableFuture.completedFuture(null);
        Turn turn = new Turn(budget, new CompletableFuture<>());
        others.add(turn);
        return turn.comes
                .orTimeout(Math.max(1, budget.leftMillis()), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(
                        thrown instanceof CancellationException ? thrown : Transport.noAnswer(thrown, DuetimeException.Facts.of("", 0))));
    }

    private void next(String timer) {
        while (true) {
            Turn turn;
            synchronized (this) {
                turn = waiting.get(timer).poll();
                if (turn == null) {
                    waiting.remove(timer);
                    return;
                }
            }
            if (turn.budget.isCanceled()) turn.comes.cancel(false);
            // False: its time was over before.
            else if (turn.comes.complete(null)) return;
        }
    }
}
