package dev.duetime;

/** There is no such timer, or not any more. */
public final class TimerNotFoundException extends DuetimeException {
    private static final long serialVersionUID = 1L;

    TimerNotFoundException(String code, String message, Facts facts, Throwable cause) {
        super(code, message, facts, cause);
    }
}
