package dev.duetime.receiver;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/**
 * What the service is told about a delivery.
 *
 * @param status of the HTTP answer
 * @param body of it, as JSON
 * @param headers of it
 * @param isFinal whether the firing is over with it: a failed attempt comes again and is to be processed again
 */
public record Answer(int status, Map<String, Object> body, Map<String, String> headers, boolean isFinal) {

    /**
     * The timer is done; a cycle goes on.
     *
     * @return the answer
     */
    public static Answer done() {
        return new Answer(200, Map.of("ok", true), Map.of(), true);
    }

    /**
     * The same timer fires again then, as a new firing.
     *
     * @param at when
     * @return the answer
     */
    public static Answer againAt(Instant at) {
        String text = at.truncatedTo(ChronoUnit.MILLIS).toString();
        return new Answer(200, Map.of("ok", false, "nextExecuteAt", text), Map.of(), true);
    }

    /**
     * This attempt failed; the timer is tried again by its retry policy.
     *
     * @param reason is stored with the timer
     * @return the answer
     */
    public static Answer retry(String reason) {
        return new Answer(200, Map.of("ok", false, "error", reason), Map.of(), false);
    }

    /**
     * This attempt failed; the timer is tried again by its retry policy, but not sooner than this.
     *
     * @param reason is stored with the timer
     * @param after how long to wait at least
     * @return the answer
     */
    public static Answer retry(String reason, Duration after) {
        long seconds = (after.toMillis() + 999) / 1_000;
        return new Answer(200, Map.of("ok", false, "error", reason), Map.of("Retry-After", Long.toString(seconds)), false);
    }

    /**
     * This timer cannot be served any more: it fails at once and is not tried again.
     *
     * @param reason is stored with the timer
     * @return the answer
     */
    public static Answer gone(String reason) {
        return new Answer(410, Map.of("ok", false, "error", reason), Map.of(), true);
    }

    static Answer refused(int status, String reason) {
        return new Answer(status, Map.of("ok", false, "error", reason), Map.of(), false);
    }

    static Answer failed() {
        return new Answer(500, Map.of("ok", false), Map.of(), false);
    }
}
