package dev.duetime;

/** The service is busy, away or did not answer in time. The same call may succeed later. */
public final class UnavailableException extends DuetimeException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String code, String message, Facts facts, Throwable cause) {
        super(code, message, facts, cause);
    }
}
