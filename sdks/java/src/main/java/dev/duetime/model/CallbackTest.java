// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.util.Map;

/**
 * A callback to try.
 *
 * @param namespace Default: default.
 * @param callbackUrl Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
 * @param callback Where the timer fires, with headers or over NATS; instead of callbackUrl.
 * @param payload Any JSON; delivered as it is.
 * @param metadata Labels to find timers by: strings, numbers, booleans or null.
 * @param callbackTimeout How long the receiver may take, 1s to 1h. Default 30s.
 * @param callbackTimeoutSeconds The same in seconds.
 */
public record CallbackTest(
        String namespace,
        String callbackUrl,
        Callback callback,
        Object payload,
        Map<String, Object> metadata,
        String callbackTimeout,
        Double callbackTimeoutSeconds) {
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
        copy.callbackUrl = callbackUrl;
        copy.callback = callback;
        copy.payload = payload;
        copy.metadata = metadata;
        copy.callbackTimeout = callbackTimeout;
        copy.callbackTimeoutSeconds = callbackTimeoutSeconds;
        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
        private String namespace;
        private String callbackUrl;
        private Callback callback;
        private Object payload;
        private Map<String, Object> metadata;
        private String callbackTimeout;
        private Double callbackTimeoutSeconds;

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
         * What was given so far.
         *
         * @return the record
         */
        public CallbackTest build() {
            return new CallbackTest(namespace, callbackUrl, callback, payload, metadata, callbackTimeout, callbackTimeoutSeconds);
        }
    }
}
