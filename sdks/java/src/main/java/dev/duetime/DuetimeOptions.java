package dev.duetime;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How a client reaches the service.
 *
 * @param url where the service is
 * @param apiKey is asked for every request; gives null where there is none
 * @param namespace for calls that do not name one
 * @param timeout for a whole call, with all its attempts and waits
 * @param attemptTimeout for one attempt
 * @param retries attempts after the first
 * @param headers sent with every request
 * @param httpClient for proxies and certificates of your own
 * @param gather whether creates, updates and cancels that are called at the same time share requests
 */
public record DuetimeOptions(
        String url,
        Supplier<String> apiKey,
        String namespace,
        Duration timeout,
        Duration attemptTimeout,
        int retries,
        Map<String, String> headers,
        HttpClient httpClient,
        boolean gather) {

    /**
     * With the defaults: no key, 30 s for a call, 10 s for an attempt, 10 retries.
     *
     * @param url where the service is
     * @return a new builder
     */
    public static Builder builder(String url) {
        return new Builder(url);
    }

    /** What is not given has its default. */
    public static final class Builder {
        private final String url;
        private Supplier<String> apiKey = () -> null;
        private String namespace = "default";
        private Duration timeout = Duration.ofSeconds(30);
        private Duration attemptTimeout = Duration.ofSeconds(10);
        private int retries = 10;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private HttpClient httpClient;
        private boolean gather = true;

        private Builder(String url) {
            String scheme = URI.create(url).getScheme();
            if (!"http".equals(scheme) && !"https".equals(scheme))
                throw DuetimeException.invalidInput("url", "url must begin with http:// or https://, not " + url);
            this.url = url.replaceAll("/+$", "");
        }

        /**
         * The key.
         *
         * @param value sent with every request
         * @return this
         */
        public Builder apiKey(String value) {
            apiKey = () -> value;
            return this;
        }

        /**
         * A key that changes.
         *
         * @param value is asked for every request
         * @return this
         */
        public Builder apiKey(Supplier<String> value) {
            apiKey = value;
            return this;
        }

        /**
         * For calls that do not name one.
         *
         * @param value default: default
         * @return this
         */
        public Builder namespace(String value) {
            namespace = value;
            return this;
        }

        /**
         * For a whole call, with all its attempts and waits.
         *
         * @param value default: 30 s
         * @return this
         */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /**
         * For one attempt.
         *
         * @param value default: 10 s
         * @return this
         */
        public Builder attemptTimeout(Duration value) {
            attemptTimeout = value;
            return this;
        }

        /**
         * Attempts after the first.
         *
         * @param value default: 10
         * @return this
         */
        public Builder retries(int value) {
            retries = value;
            return this;
        }

        /**
         * Sent with every request.
         *
         * @param name of the header
         * @param value of the header
         * @return this
         */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /**
         * For proxies and certificates of your own.
         *
         * @param value default: a new one
         * @return this
         */
        public Builder httpClient(HttpClient value) {
            httpClient = value;
            return this;
        }

        /**
         * Creates, updates and cancels that are called at the same time share requests: nothing waits for it, and each has its own answer or
         * error. False sends a request for each.
         *
         * @param value default: true
         * @return this
         */
        public Builder gather(boolean value) {
            gather = value;
            return this;
        }

        /**
         * What was given so far.
         *
         * @return the options
         */
        public DuetimeOptions build() {
            HttpClient client = httpClient != null ? httpClient : HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            return new DuetimeOptions(url, apiKey, namespace, timeout, attemptTimeout, retries, Map.copyOf(headers), client, gather);
        }
    }
}
