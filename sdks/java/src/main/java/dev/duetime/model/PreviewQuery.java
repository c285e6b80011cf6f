// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * A schedule to look at.
 *
 * @param executeAt When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
 * @param schedule Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, {@literal @}daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
 * @param timeZone Whose calendar the schedule follows; the answer shows its local times too.
 * @param dst In the nights when clocks change.
 * @param startAt Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
 * @param endAt Of a schedule that repeats: nothing fires after. Written as startAt.
 * @param maxFirings Of a schedule that repeats: how many iterations it has. Those that are passed over count.
 * @param spread Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
 * @param calendar A calendar: nothing fires when it says so.
 * @param from Only firings at this instant or later.
 * @param to Only firings before this instant.
 * @param namespace Default: default.
 * @param id Of the timer that is meant, which decides how far its firings are spread.
 * @param count How many firings. Default 5.
 */
public record PreviewQuery(
        Instant executeAt,
        String schedule,
        String timeZone,
        ClockChangeRules dst,
        String startAt,
        String endAt,
        Integer maxFirings,
        String spread,
        CalendarRule calendar,
        String from,
        String to,
        String namespace,
        String id,
        Integer count) {
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
        copy.from = from;
        copy.to = to;
        copy.namespace = namespace;
        copy.id = id;
        copy.count = count;
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
        private String from;
        private String to;
        private String namespace;
        private String id;
        private Integer count;

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
         * Whose calendar the schedule follows; the answer shows its local times too.
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
         * Only firings at this instant or later.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder from(String value) {
            this.from = value;
            return this;
        }

        /**
         * Only firings before this instant.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder to(String value) {
            this.to = value;
            return this;
        }

        /**
         * Default: default.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder namespace(String value) {
            this.namespace = value;
            return this;
        }

        /**
         * Of the timer that is meant, which decides how far its firings are spread.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder id(String value) {
            this.id = value;
            return this;
        }

        /**
         * How many firings. Default 5.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder count(Integer value) {
            this.count = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public PreviewQuery build() {
            return new PreviewQuery(executeAt, schedule, timeZone, dst, startAt, endAt, maxFirings, spread, calendar, from, to, namespace, id, count);
        }
    }
}
