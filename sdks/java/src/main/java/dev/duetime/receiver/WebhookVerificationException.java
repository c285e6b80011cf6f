package dev.duetime.receiver;

/** A delivery was not signed with one of the secrets, or is too old or too new. */
public final class WebhookVerificationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WebhookVerificationException(String message) {
        super(message);
    }
}
