// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/** The codes of the service's refusals. */
public final class ErrorCode {
    /** A field is missing, unknown or out of bounds. `details` names it. */
    public static final String INVALID_INPUT = "INVALID_INPUT";

    /** NAMESPACES lists the namespaces this service accepts, and this is not one of them. */
    public static final String NAMESPACE_NOT_ENABLED = "NAMESPACE_NOT_ENABLED";

    /** No timer has this namespace and id, or it finished and its retention time is over. */
    public static final String TIMER_NOT_FOUND = "TIMER_NOT_FOUND";

    /** The namespace has no calendar of this name. */
    public static final String CALENDAR_NOT_FOUND = "CALENDAR_NOT_FOUND";

    /** A timer with this id exists and the request asked not to replace it. */
    public static final String TIMER_ALREADY_EXISTS = "TIMER_ALREADY_EXISTS";

    /** The idempotency key stands for a timer that was made with other parameters. `details.timer` is that timer. */
    public static final String IDEMPOTENCY_KEY_REUSED = "IDEMPOTENCY_KEY_REUSED";

    /** The timer is being delivered or has finished, so it is too late for this change. */
    public static final String TIMER_NOT_PENDING = "TIMER_NOT_PENDING";

    /** The timer changed since the version given in `ifVersion`. Read it again and decide anew. */
    public static final String VERSION_CONFLICT = "VERSION_CONFLICT";

    /** The request carries no API key, or one that is not known. */
    public static final String UNAUTHORIZED = "UNAUTHORIZED";

    /** The API key lacks the permission or the namespace for this request. */
    public static final String FORBIDDEN = "FORBIDDEN";

    /** No such route. /docs lists them all. */
    public static final String ROUTE_NOT_FOUND = "ROUTE_NOT_FOUND";

    /** The path exists, with another method. `details.allowed` lists them. */
    public static final String METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED";

    /** The request body, or the payload in it, is larger than the configured maximum. */
    public static final String PAYLOAD_TOO_LARGE = "PAYLOAD_TOO_LARGE";

    /** Request bodies are JSON: send `Content-Type: application/json`. */
    public static final String UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE";

    /** Too many requests. Wait as long as `Retry-After` says. */
    public static final String RATE_LIMITED = "RATE_LIMITED";

    /** The store is failing, or more writes are waiting than it can take. The message says whether nothing was stored or that is not known. Retry after `Retry-After`. */
    public static final String UNAVAILABLE = "UNAVAILABLE";

    /** Nothing was stored: the part of the timers that this one belongs to is moving between nodes. Retry after `Retry-After`. */
    public static final String NOT_OWNER = "NOT_OWNER";

    /** A defect of the service. Its log has the cause under the same request id. */
    public static final String INTERNAL = "INTERNAL";

    private ErrorCode() {}
}
