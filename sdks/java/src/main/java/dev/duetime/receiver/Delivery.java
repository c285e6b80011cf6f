package dev.duetime.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.duetime.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;

/**
 * What is delivered when a timer fires.
 *
 * @param id of the timer
 * @param namespace of the timer
 * @param groupId the namespace by its other name
 * @param payload of the timer
 * @param executeAt when it was due
 * @param nominalAt when the schedule says, if that is another time
 * @param firedAt when this attempt was sent
 * @param attempt from 1
 * @param deliveryId the same on every attempt: remember it to recognise duplicates
 * @param schedule of the timer
 * @param iteration of a cycle, from 1
 * @param triggered of a cycle: it fires once more, beside its schedule, because somebody triggered it
 * @param metadata of the timer
 */
public record Delivery(
        String id,
        String namespace,
        String groupId,
        JsonNode payload,
        Instant executeAt,
        Instant nominalAt,
        Instant firedAt,
        int attempt,
        String deliveryId,
        String schedule,
        Integer iteration,
        Boolean triggered,
        Map<String, Object> metadata) {

    /**
     * Reads the body of a delivery.
     *
     * @param body as it was received
     * @return null when it is no delivery
     */
    public static Delivery parse(byte[] body) {
        try {
            JsonNode value = Json.MAPPER.readTree(body);
            boolean isDelivery = value.path("id").isTextual() && value.path("deliveryId").isTextual();
            return isDelivery ? Json.MAPPER.treeToValue(value, Delivery.class) : null;
        } catch (IOException | RuntimeException error) {
            return null;
        }
    }

    /**
     * The payload as a class of your own.
     *
     * @param type of the payload
     * @param <T> of the payload
     * @return the payload
     */
    public <T> T payloadAs(Class<T> type) {
        return Json.MAPPER.convertValue(payload, type);
    }
}
