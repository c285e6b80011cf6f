// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * What a local time means that does not exist or exists twice, where clocks change.
 *
 * @param gap A local time that clocks skip: shifted, as much later as they go forward (default), or skipped.
 * @param overlap A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default.
 */
public record ClockChangeRules(
        String gap,
        String overlap) {
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
        copy.gap = gap;
        copy.overlap = overlap;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String gap;
        private String overlap;

        private Builder() {}

        /**
         * A local time that clocks skip: shifted, as much later as they go forward (default), or skipped.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder gap(String value) {
            this.gap = value;
            return this;
        }

        /**
         * A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder overlap(String value) {
            this.overlap = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public ClockChangeRules build() {
            return new ClockChangeRules(gap, overlap);
        }
    }
}
