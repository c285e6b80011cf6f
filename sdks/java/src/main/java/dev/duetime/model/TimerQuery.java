// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * Which timers, in which order, and how many on a page.
 *
 * @param namespace Default: default. * is all namespaces that the key may see.
 * @param status status
 * @param dueFrom Due at this instant or later.
 * @param dueTo Due before this instant.
 * @param metadataKey A key their metadata must have.
 * @param metadataValue The value that key must have.
 * @param search Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which.
 * @param sort Sorted and counted: the answer has a total and no nextCursor.
 * @param order Default: asc.
 * @param offset How many to pass over, for a sorted list.
 * @param limit Timers on a page. Default 100; cut to 1000 if more.
 * @param cursor nextCursor of the page before.
 * @param fields Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload.
 */
public record TimerQuery(
        String namespace,
        List<Status> status,
        Instant dueFrom,
        Instant dueTo,
        String metadataKey,
        Object metadataValue,
        String search,
        Sort sort,
        Order order,
        Integer offset,
        Integer limit,
        String cursor,
        List<String> fields) {
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
        copy.search = search;
        copy.sort = sort;
        copy.order = order;
        copy.offset = offset;
        copy.limit = limit;
        copy.cursor = cursor;
        copy.fields = fields;
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
        private String search;
        private Sort sort;
        private Order order;
        private Integer offset;
        private Integer limit;
        private String cursor;
        private List<String> fields;

        private Builder() {}

        /**
         * Default: default. * is all namespaces that the key may see.
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
         * Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder search(String value) {
            this.search = value;
            return this;
        }

        /**
         * Sorted and counted: the answer has a total and no nextCursor.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder sort(Sort value) {
            this.sort = value;
            return this;
        }

        /**
         * Default: asc.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder order(Order value) {
            this.order = value;
            return this;
        }

        /**
         * How many to pass over, for a sorted list.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder offset(Integer value) {
            this.offset = value;
            return this;
        }

        /**
         * Timers on a page. Default 100; cut to 1000 if more.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder limit(Integer value) {
            this.limit = value;
            return this;
        }

        /**
         * nextCursor of the page before.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder cursor(String value) {
            this.cursor = value;
            return this;
        }

        /**
         * Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder fields(List<String> value) {
            this.fields = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public TimerQuery build() {
            return new TimerQuery(namespace, status, dueFrom, dueTo, metadataKey, metadataValue, search, sort, order, offset, limit, cursor, fields);
        }
    }
}
