// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.Map;

/**
 * What to change of a timer: only what is given changes.
 *
 * @param executeAt When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
 * @param schedule Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, {@literal @}daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
 * @param timeZone Whose calendar the schedule follows, such as Europe/Berlin. Default UTC.
 * @param dst In the nights when clocks change.
 * @param startAt Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
 * @param endAt Of a schedule that repeats: nothing fires after. Written as startAt.
 * @param maxFirings Of a schedule that repeats: how many iterations it has. Those that are passed over count.
 * @param spread Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
 * @param calendar A calendar: nothing fires when it says so.
 * @param catchUp Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
 * @param maxLateness A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h.
 * @param overlap Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other.
 * @param callbackUrl Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
 * @param callback Where the timer fires, with headers or over NATS; instead of callbackUrl.
 * @param payload Any JSON; delivered as it is.
 * @param metadata Labels to find timers by: strings, numbers, booleans or null.
 * @param retryPolicy When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are.
 * @param callbackTimeout How long the receiver may take, 1s to 1h. Default 30s.
 * @param callbackTimeoutSeconds The same in seconds.
 * @param ifVersion Refused with 409 unless the timer has this version.
 * @param retry Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept.
 */
public record TimerChanges(
        Instant executeAt,
        String schedule,
        String timeZone,
        ClockChangeRules dst,
        String startAt,
        String endAt,
        Integer maxFirings,
        String spread,
        CalendarRule calendar,
        Object catchUp,
        String maxLateness,
        String overlap,
        String callbackUrl,
        Callback callback,
        Object payload,
        Map<String, Object> metadata,
        RetryPolicyOptions retryPolicy,
        String callbackTimeout,
        Double callbackTimeoutSeconds,
        Integer ifVersion,
        Boolean retry) {
    /**
     * With nothing in it.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * With everything that is in this one.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.executeAt = executeAt;
        copy.schedule = schedule;
        copy.timeZone = timeZone;
        copy.dst = dst;
        copy.startAt = startAt;
        copy.endAt = endAt;
        copy.maxFirings = maxFirings;
        copy.spread = spread;
        copy.calendar = calendar;
        copy.catchUp = catchUp;
        copy.maxLateness = maxLateness;
        copy.overlap = overlap;
        copy.callbackUrl = callbackUrl;
        copy.callback = callback;
        copy.payload = payload;
        copy.metadata = metadata;
        copy.retryPolicy = retryPolicy;
        copy.callbackTimeout = callbackTimeout;
        copy.callbackTimeoutSeconds = callbackTimeoutSeconds;
        copy.ifVersion = ifVersion;
        copy.retry = retry;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private Instant executeAt;
        private String schedule;
        private String timeZone;
        private ClockChangeRules dst;
        private String startAt;
        private String endAt;
        private Integer maxFirings;
        private String spread;
        private CalendarRule calendar;
        private Object catchUp;
        private String maxLateness;
        private String overlap;
        private String callbackUrl;
        private Callback callback;
        private Object payload;
        private Map<String, Object> metadata;
        private RetryPolicyOptions retryPolicy;
        private String callbackTimeout;
        private Double callbackTimeoutSeconds;
        private Integer ifVersion;
        private Boolean retry;

        private Builder() {}

        /**
         * When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
         *
         * @param value what it is to be
         * @return this
         */
        public Builder executeAt(Instant value) {
            this.executeAt = value;
            return this;
        }

        /**
         * Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, {@literal @}daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
         *
         * @param value what it is to be
         * @return this
         */
        public Builder schedule(String value) {
            this.schedule = value;
            return this;
        }

        /**
         * Whose calendar the schedule follows, such as Europe/Berlin. Default UTC.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder timeZone(String value) {
            this.timeZone = value;
            return this;
        }

        /**
         * In the nights when clocks change.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder dst(ClockChangeRules value) {
            this.dst = value;
            return this;
        }

        /**
         * Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder startAt(String value) {
            this.startAt = value;
            return this;
        }

        /**
         * Of a schedule that repeats: nothing fires after. Written as startAt.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder endAt(String value) {
            this.endAt = value;
            return this;
        }

        /**
         * Of a schedule that repeats: how many iterations it has. Those that are passed over count.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxFirings(Integer value) {
            this.maxFirings = value;
            return this;
        }

        /**
         * Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder spread(String value) {
            this.spread = value;
            return this;
        }

        /**
         * A calendar: nothing fires when it says so.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder calendar(CalendarRule value) {
            this.calendar = value;
            return this;
        }

        /**
         * Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
         *
         * @param value what it is to be
         * @return this
         */
        public Builder catchUp(Object value) {
            this.catchUp = value;
            return this;
        }

        /**
         * A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxLateness(String value) {
            this.maxLateness = value;
            return this;
        }

        /**
         * Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder overlap(String value) {
            this.overlap = value;
            return this;
        }

        /**
         * Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder callbackUrl(String value) {
            this.callbackUrl = value;
            return this;
        }

        /**
         * Where the timer fires, with headers or over NATS; instead of callbackUrl.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder callback(Callback value) {
            this.callback = value;
            return this;
        }

        /**
         * Any JSON; delivered as it is.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder payload(Object value) {
            this.payload = value;
            return this;
        }

        /**
         * Labels to find timers by: strings, numbers, booleans or null.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder metadata(Map<String, Object> value) {
            this.metadata = value;
            return this;
        }

        /**
         * When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder retryPolicy(RetryPolicyOptions value) {
            this.retryPolicy = value;
            return this;
        }

        /**
         * How long the receiver may take, 1s to 1h. Default 30s.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder callbackTimeout(String value) {
            this.callbackTimeout = value;
            return this;
        }

        /**
         * The same in seconds.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder callbackTimeoutSeconds(Double value) {
            this.callbackTimeoutSeconds = value;
            return this;
        }

        /**
         * Refused with 409 unless the timer has this version.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder ifVersion(Integer value) {
            this.ifVersion = value;
            return this;
        }

        /**
         * Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder retry(Boolean value) {
            this.retry = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public TimerChanges build() {
            return new TimerChanges(executeAt, schedule, timeZone, dst, startAt, endAt, maxFirings, spread, calendar, catchUp, maxLateness, overlap, callbackUrl, callback, payload, metadata, retryPolicy, callbackTimeout, callbackTimeoutSeconds, ifVersion, retry);
        }
    }
}
