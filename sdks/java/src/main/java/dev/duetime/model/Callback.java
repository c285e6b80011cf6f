// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.util.Map;

/**
 * Where a timer fires. Its type says which of the other fields it has.
 *
 * @param type type
 * @param url url
 * @param headers Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value.
 * @param topic topic
 * @param key key
 */
public record Callback(
        String type,
        String url,
        Map<String, String> headers,
        String topic,
        String key) {
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
        copy.type = type;
        copy.url = url;
        copy.headers = headers;
        copy.topic = topic;
        copy.key = key;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String type;
        private String url;
        private Map<String, String> headers;
        private String topic;
        private String key;

        private Builder() {}

        /**
         * type
         *
         * @param value what it is to be
         * @return this
         */
        public Builder type(String value) {
            this.type = value;
            return this;
        }

        /**
         * url
         *
         * @param value what it is to be
         * @return this
         */
        public Builder url(String value) {
            this.url = value;
            return this;
        }

        /**
         * Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value.
         *
         * @param value what it is to be
         * @return this
         */
        public Builder headers(Map<String, String> value) {
            this.headers = value;
            return this;
        }

        /**
         * topic
         *
         * @param value what it is to be
         * @return this
         */
        public Builder topic(String value) {
            this.topic = value;
            return this;
        }

        /**
         * key
         *
         * @param value what it is to be
         * @return this
         */
        public Builder key(String value) {
            this.key = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the record
         */
        public Callback build() {
            return new Callback(type, url, headers, topic, key);
        }
    }
}
