package dev.duetime.receiver;

/**
 * Where answers are remembered, by delivery id. A firing is delivered at least once: again when the answer to it was lost, or when the
 * service was killed before it had stored the answer. Receivers of several processes share one memory, in a database for example.
 */
public interface DeliveryMemory {
    /**
     * What is known of a delivery.
     *
     * @param isNew nothing: from now on it is the caller's
     * @param answer that was given to it; null while it is being processed
     */
    record Claim(boolean isNew, Answer answer) {}

    /**
     * The first caller processes it.
     *
     * @param deliveryId of the delivery
     * @return what is known of it
     */
    Claim claim(String deliveryId);

    /**
     * It has been processed, and this is the answer to it from now on.
     *
     * @param deliveryId of the delivery
     * @param answer to it
     */
    void keep(String deliveryId, Answer answer);

    /**
     * It failed: the next attempt is to process it.
     *
     * @param deliveryId of the delivery
     */
    void release(String deliveryId);
}
