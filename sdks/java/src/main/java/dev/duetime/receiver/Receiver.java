package dev.duetime.receiver;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.duetime.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * An endpoint for deliveries: turns a function into one that speaks the callback protocol. {@link DuetimeServlet} and
 * {@link DuetimeHttpHandler} are adapters for servers; {@link #handle} is for all others.
 */
public final class Receiver {
    /** More than the service sends unless it is told to. */
    private static final int BODY_BYTES_MAX = 8 * 1_024 * 1_024;

    private static final System.Logger LOG = System.getLogger("dev.duetime");

    private final DeliveryHandler handler;
    private List<String> secrets;
    private Duration tolerance = Webhooks.TOLERANCE;
    private int maxBodyBytes = BODY_BYTES_MAX;
    private DeliveryMemory memory;
    private BiConsumer<Exception, Delivery> onError = (error, delivery) ->
            LOG.log(System.Logger.Level.ERROR, "a delivery failed: " + (delivery == null ? "" : delivery.id()), error);

    /**
     * A receiver that takes every delivery; see {@link #secrets}.
     *
     * @param handler processes deliveries
     */
    public Receiver(DeliveryHandler handler) {
        this.handler = handler;
    }

    /**
     * Deliveries that are not signed with one of them get 401.
     *
     * @param values one or more of the service's WEBHOOK_SECRETS
     * @return this
     */
    public Receiver secrets(List<String> values) {
        secrets = List.copyOf(values);
        return this;
    }

    /**
     * How far the clocks may be apart.
     *
     * @param value default: 5 minutes
     * @return this
     */
    public Receiver tolerance(Duration value) {
        tolerance = value;
        return this;
    }

    /**
     * Larger bodies get 413.
     *
     * @param value default: 8 MiB
     * @return this
     */
    public Receiver maxBodyBytes(int value) {
        maxBodyBytes = value;
        return this;
    }

    int maxBodyBytes() {
        return maxBodyBytes;
    }

    /**
     * A delivery that arrives again is answered as before, and the handler is not called again.
     *
     * @param value remembers answers
     * @return this
     */
    public Receiver memory(DeliveryMemory value) {
        memory = value;
        return this;
    }

    /**
     * Told what the handler threw; the service only learns that it failed.
     *
     * @param value default: writes to the log
     * @return this
     */
    public Receiver onError(BiConsumer<Exception, Delivery> value) {
        onError = value;
        return this;
    }

    /**
     * What is to be answered over HTTP.
     *
     * @param status of the answer
     * @param headers of it
     * @param body of it
     */
    public record Reply(int status, Map<String, String> headers, byte[] body) {}

    /**
     * Never throws: whatever goes wrong is an answer.
     *
     * @param method of the request
     * @param header gives the value of a header by its name, or null
     * @param body as it was received
     * @return what is to be answered
     */
    public Reply handle(String method, Function<String, String> header, byte[] body) {
        Answer answer = answer(method, header, body);
        Map<String, String> headers = new LinkedHashMap<>(answer.headers());
        headers.put("Content-Type", "application/json");
        if (answer.status() == 405) headers.put("Allow", "POST");
        try {
            return new Reply(answer.status(), headers, Json.MAPPER.writeValueAsBytes(answer.body()));
        } catch (JsonProcessingException error) {
            onError.accept(error, null);
            return new Reply(500, headers, new byte[0]);
        }
    }

    private Answer answer(String method, Function<String, String> header, byte[] body) {
        if (!method.equals("POST")) return Answer.refused(405, "deliveries are sent by POST");
        if (body.length > maxBodyBytes) return Answer.refused(413, "the body is too large");
        try {
            if (secrets != null) Webhooks.verify(body, header, secrets, tolerance, Instant.now());
        } catch (WebhookVerificationException error) {
            return Answer.refused(401, error.getMessage());
        } catch (IllegalArgumentException error) {
            // A secret that is no secret: the receiver's own mistake, which only its log should show.
            onError.accept(error, null);
            return Answer.failed();
        }
        Delivery delivery = Delivery.parse(body);
        if (delivery == null) return Answer.refused(400, "the body is not a delivery of Duetime");
        try {
            return memory == null ? run(delivery) : runOnce(delivery);
        } catch (Exception error) {
            onError.accept(error, delivery);
            return Answer.failed();
        }
    }

    private Answer run(Delivery delivery) throws Exception {
        Answer answer = handler.handle(delivery);
        return answer == null ? Answer.done() : answer;
    }

    private Answer runOnce(Delivery delivery) throws Exception {
        DeliveryMemory.Claim claim = memory.claim(delivery.deliveryId());
        if (claim.answer() != null) return claim.answer();
        if (!claim.isNew()) return Answer.retry("this delivery is being processed already", Duration.ofSeconds(1));
        boolean isKept = false;
        try {
            Answer answer = run(delivery);
            if (answer.isFinal()) {
                memory.keep(delivery.deliveryId(), answer);
                isKept = true;
            }
            return answer;
        } finally {
            if (!isKept) memory.release(delivery.deliveryId());
        }
    }
}
