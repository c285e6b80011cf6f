package dev.duetime;

/** The timer exists already, is too far gone for this change, or has another version; the code says which. */
public final class ConflictException extends DuetimeException {
    private static final long serialVersionUID = 1L;

    ConflictException(String code, String message, Facts facts, Throwable cause) {
        super(code, message, facts, cause);
    }
}
