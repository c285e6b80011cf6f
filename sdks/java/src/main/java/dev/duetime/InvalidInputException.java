package dev.duetime;

/** Something in the request is wrong; {@code details().get("field")} names it. */
public final class InvalidInputException extends DuetimeException {
    private static final long serialVersionUID = 1L;

    InvalidInputException(String code, String message, Facts facts, Throwable cause) {
        super(code, message, facts, cause);
    }
}
