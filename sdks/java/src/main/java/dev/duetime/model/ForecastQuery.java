// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * Of which namespace, and in which steps of time.
 *
 * @param namespace Of this namespace only. Default: all that the key may see.
 * @param step Default: minute.
 * @param steps How many, up to 366. Default 60.
 */
public record ForecastQuery(
        String namespace,
        String step,
        Integer steps) {
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
        copy.namespace = namespace;
        copy.step = step;
        copy.steps = steps;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String namespace;
        private String step;
        private Integer steps;

        private Builder() {}

        /**
         * Of this namespace only. Default: all that the key may see.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder namespace(String value) {
            this.namespace = value;
            return this;
        }

        /**
         * Default: minute.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder step(String value) {
            this.step = value;
            return this;
        }

        /**
         * How many, up to 366. Default 60.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder steps(Integer value) {
            this.steps = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public ForecastQuery build() {
            return new ForecastQuery(namespace, step, steps);
        }
    }
}
