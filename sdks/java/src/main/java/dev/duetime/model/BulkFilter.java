// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * Which timers to change at once.
 *
 * @param namespace Default: default.
 * @param status status
 * @param dueFrom Due at this instant or later.
 * @param dueTo Due before this instant.
 * @param metadataKey A key their metadata must have.
 * @param metadataValue The value that key must have.
 * @param all Without any other filter: every timer of the namespace.
 */
public record BulkFilter(
        String namespace,
        List<Status> status,
        Instant dueFrom,
        Instant dueTo,
        String metadataKey,
        Object metadataValue,
        Boolean all) {
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
        copy.status = status;
        copy.dueFrom = dueFrom;
        copy.dueTo = dueTo;
        copy.metadataKey = metadataKey;
        copy.metadataValue = metadataValue;
        copy.all = all;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String namespace;
        private List<Status> status;
        private Instant dueFrom;
        private Instant dueTo;
        private String metadataKey;
        private Object metadataValue;
        private Boolean all;

        private Builder() {}

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
         * status
         *
         * @param value what it is to be
         * @return this
         */
        public Builder status(List<Status> value) {
            this.status = value;
            return this;
        }

        /**
         * Due at this instant or later.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder dueFrom(Instant value) {
            this.dueFrom = value;
            return this;
        }

        /**
         * Due before this instant.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder dueTo(Instant value) {
            this.dueTo = value;
            return this;
        }

        /**
         * A key their metadata must have.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder metadataKey(String value) {
            this.metadataKey = value;
            return this;
        }

        /**
         * The value that key must have.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder metadataValue(Object value) {
            this.metadataValue = value;
            return this;
        }

        /**
         * Without any other filter: every timer of the namespace.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder all(Boolean value) {
            this.all = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public BulkFilter build() {
            return new BulkFilter(namespace, status, dueFrom, dueTo, metadataKey, metadataValue, all);
        }
    }
}
