package dev.duetime;

/** The key is missing or unknown, or may not do this. */
public final class AccessDeniedException extends DuetimeException {
    private static final long serialVersionUID = 1L;

    AccessDeniedException(String code, String message, Facts facts, Throwable cause) {
        super(code, message, facts, cause);
    }
}
