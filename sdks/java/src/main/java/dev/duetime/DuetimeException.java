package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.duetime.model.ErrorCode;
import java.time.Duration;
import java.time.Instant;

/** A call failed: what the service said, or what went wrong on the way. Its class says what kind of failure it is, its code which one. */
public class DuetimeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** No connection, or a broken one. */
    public static final String NETWORK = "NETWORK";

    /** No answer in time. */
    public static final String TIMEOUT = "TIMEOUT";

    /** An answer that Duetime does not give: a proxy's error page, for instance. */
    public static final String BAD_ANSWER = "BAD_ANSWER";

    private final String code;
    private final transient Facts facts;

    DuetimeException(String code, String message, Facts facts, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.facts = facts;
    }

    /** What is known beside code and message. */
    record Facts(
            int status,
            JsonNode details,
            String requestId,
            boolean retryable,
            Duration retryAfter,
            Instant serverTime,
            int attempts) {
        static Facts of(String requestId, int attempts) {
            return new Facts(0, JsonNodeFactory.instance.objectNode(), requestId, false, null, null, attempts);
        }

        Facts answered(int newStatus, JsonNode newDetails, Instant newServerTime) {
            JsonNode known = newDetails == null ? details : newDetails;
            return new Facts(newStatus, known, requestId, retryable, retryAfter, newServerTime, attempts);
        }

        Facts counted(int newAttempts) {
            return new Facts(status, details, requestId, retryable, retryAfter, serverTime, newAttempts);
        }

        Facts retrying(boolean isRetryable, Duration wait) {
            return new Facts(status, details, requestId, isRetryable, wait, serverTime, attempts);
        }
    }

    static DuetimeException of(String code, String message, Facts facts, Throwable cause) {
        return switch (code) {
            case ErrorCode.INVALID_INPUT, ErrorCode.NAMESPACE_NOT_ENABLED, ErrorCode.PAYLOAD_TOO_LARGE ->
                    new InvalidInputException(code, message, facts, cause);
            case ErrorCode.TIMER_NOT_FOUND -> new TimerNotFoundException(code, message, facts, cause);
            case ErrorCode.TIMER_ALREADY_EXISTS,
                    ErrorCode.IDEMPOTENCY_KEY_REUSED,
                    ErrorCode.TIMER_NOT_PENDING,
                    ErrorCode.VERSION_CONFLICT -> new ConflictException(code, message, facts, cause);
            case ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN ->
                    new AccessDeniedException(code, message, facts, cause);
            case ErrorCode.RATE_LIMITED, ErrorCode.UNAVAILABLE, ErrorCode.NOT_OWNER, NETWORK, TIMEOUT ->
                    new UnavailableException(code, message, facts, cause);
            default -> new DuetimeException(code, message, facts, cause);
        };
    }

    static DuetimeException invalidInput(String field, String message) {
        JsonNode details = JsonNodeFactory.instance.objectNode().put("field", field);
        return of(ErrorCode.INVALID_INPUT, message, Facts.of("", 1).answered(400, details, null), null);
    }

    /**
     * One of {@link ErrorCode}, or of the three of this class.
     *
     * @return the code
     */
    public String code() {
        return code;
    }

    /**
     * The HTTP status.
     *
     * @return 0 when there was no answer
     */
    public int status() {
        return facts.status();
    }

    /**
     * What is known about the failure: {@code field} names what is wrong with a request.
     *
     * @return an object
     */
    public JsonNode details() {
        return facts.details();
    }

    /**
     * Sent as X-Request-ID: the service's log has the request under it.
     *
     * @return the id
     */
    public String requestId() {
        return facts.requestId();
    }

    /**
     * Whether the same call may succeed later.
     *
     * @return true for the network, the load or the state of the service
     */
    public boolean retryable() {
        return facts.retryable();
    }

    /**
     * How long the service asked to wait.
     *
     * @return null when it did not
     */
    public Duration retryAfter() {
        return facts.retryAfter();
    }

    /**
     * How many times the request was sent.
     *
     * @return from 1
     */
    public int attempts() {
        return facts.attempts();
    }

    /** The same for another call. */
    DuetimeException counted(int attempts) {
        return of(code, getMessage(), facts.counted(attempts), getCause());
    }

    Instant serverTime() {
        return facts.serverTime();
    }
}
