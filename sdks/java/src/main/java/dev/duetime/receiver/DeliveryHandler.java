package dev.duetime.receiver;

/** Processes a delivery. */
@FunctionalInterface
public interface DeliveryHandler {
    /**
     * Called for each attempt of each firing.
     *
     * @param delivery what fired
     * @return what the service is told; null for done
     * @throws Exception the attempt has failed, as with {@link Answer#retry}, but only the log of the receiver has the reason
     */
    Answer handle(Delivery delivery) throws Exception;
}
