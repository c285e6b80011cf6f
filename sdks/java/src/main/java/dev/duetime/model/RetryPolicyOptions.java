// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * When a failed delivery is tried again.
 *
 * @param maxRetries Attempts after the first, 0 to 100. Default 3.
 * @param maxAttempts Attempts in all, the first included, 1 to 101; instead of maxRetries.
 * @param initialInterval Wait before the first retry, such as 30s or PT30S. Default 30s.
 * @param backoffMultiplier Each wait is so many times the last. Default 2.
 * @param multiplier Same as backoffMultiplier.
 * @param maxInterval The longest wait. Default 10m.
 * @param maxRetryAttemptsDuration No attempt starts later after the first one. Default 24h.
 * @param maxAttemptsDuration Same as maxRetryAttemptsDuration.
 */
public record RetryPolicyOptions(
        Integer maxRetries,
        Integer maxAttempts,
        String initialInterval,
        Double backoffMultiplier,
        Double multiplier,
        String maxInterval,
        String maxRetryAttemptsDuration,
        String maxAttemptsDuration) {
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
        copy.maxRetries = maxRetries;
        copy.maxAttempts = maxAttempts;
        copy.initialInterval = initialInterval;
        copy.backoffMultiplier = backoffMultiplier;
        copy.multiplier = multiplier;
        copy.maxInterval = maxInterval;
        copy.maxRetryAttemptsDuration = maxRetryAttemptsDuration;
        copy.maxAttemptsDuration = maxAttemptsDuration;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private Integer maxRetries;
        private Integer maxAttempts;
        private String initialInterval;
        private Double backoffMultiplier;
        private Double multiplier;
        private String maxInterval;
        private String maxRetryAttemptsDuration;
        private String maxAttemptsDuration;

        private Builder() {}

        /**
         * Attempts after the first, 0 to 100. Default 3.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxRetries(Integer value) {
            this.maxRetries = value;
            return this;
        }

        /**
         * Attempts in all, the first included, 1 to 101; instead of maxRetries.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxAttempts(Integer value) {
            this.maxAttempts = value;
            return this;
        }

        /**
         * Wait before the first retry, such as 30s or PT30S. Default 30s.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder initialInterval(String value) {
            this.initialInterval = value;
            return this;
        }

        /**
         * Each wait is so many times the last. Default 2.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder backoffMultiplier(Double value) {
            this.backoffMultiplier = value;
            return this;
        }

        /**
         * Same as backoffMultiplier.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder multiplier(Double value) {
            this.multiplier = value;
            return this;
        }

        /**
         * The longest wait. Default 10m.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxInterval(String value) {
            this.maxInterval = value;
            return this;
        }

        /**
         * No attempt starts later after the first one. Default 24h.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxRetryAttemptsDuration(String value) {
            this.maxRetryAttemptsDuration = value;
            return this;
        }

        /**
         * Same as maxRetryAttemptsDuration.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder maxAttemptsDuration(String value) {
            this.maxAttemptsDuration = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public RetryPolicyOptions build() {
            return new RetryPolicyOptions(maxRetries, maxAttempts, initialInterval, backoffMultiplier, multiplier, maxInterval, maxRetryAttemptsDuration, maxAttemptsDuration);
        }
    }
}
