// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * The calendar that says when nothing fires, and what becomes of a firing that it excludes.
 *
 * @param name Its name in the namespace.
 * @param onExcluded A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved).
 */
public record CalendarRule(
        String name,
        String onExcluded) {
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
        copy.name = name;
        copy.onExcluded = onExcluded;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String name;
        private String onExcluded;

        private Builder() {}

        /**
         * Its name in the namespace.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder name(String value) {
            this.name = value;
            return this;
        }

        /**
         * A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved).
         *
         * @param value what it is to be
         * @return this
         */
        public Builder onExcluded(String value) {
            this.onExcluded = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public CalendarRule build() {
            return new CalendarRule(name, onExcluded);
        }
    }
}
