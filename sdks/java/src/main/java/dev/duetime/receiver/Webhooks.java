package dev.duetime.receiver;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Is this delivery really from Duetime, and is it fresh? Checked as Standard Webhooks says. */
public final class Webhooks {
    /** How far the clocks may be apart, either way. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    private Webhooks() {}

    /**
     * Throws a {@link WebhookVerificationException} unless one of the secrets signed exactly this body.
     *
     * @param body what was received, byte for byte
     * @param header gives the value of a header by its name, or null
     * @param secrets one or more of the service's WEBHOOK_SECRETS
     * @param tolerance between the clocks
     * @param now the time
     * @return the delivery id
     */
    public static String verify(
            byte[] body, Function<String, String> header, List<String> secrets, Duration tolerance, Instant now) {
        if (secrets.isEmpty()) throw new IllegalArgumentException("a delivery cannot be verified without a secret");
        List<byte[]> keys = secrets.stream().map(Webhooks::keyOf).toList();
        String id = header.apply("webhook-id");
        String timestamp = header.apply("webhook-timestamp");
        String signatures = header.apply("webhook-signature");
        if (isEmpty(id) || isEmpty(timestamp) || isEmpty(signatures))
            throw new WebhookVerificationException("webhook-id, webhook-timestamp or webhook-signature is missing");
        boolean isFresh = timestamp.matches("[0-9]{1,12}")
                && Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now).abs().compareTo(tolerance) <= 0;
        if (!isFresh) throw new WebhookVerificationException("webhook-timestamp is too old or too new");
        boolean isGenuine = false;
        for (byte[] key : keys) {
            byte[] expected = hmac(key, (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
            // Every signature is compared, so that the time it takes says nothing about which one was right.
            for (String signature : signatures.split(" ")) {
                boolean isSame = MessageDigest.isEqual(bytesOf(signature.replaceFirst("^v1,", "")), expected);
                isGenuine |= isSame && signature.startsWith("v1,");
            }
        }
        if (!isGenuine)
            throw new WebhookVerificationException("webhook-signature is not right for this body and these secrets");
        return id;
    }

    private static boolean isEmpty(String value) {
        return value == null || value.isEmpty();
    }

    /** The message never shows the secret: it ends up in logs. */
    private static byte[] keyOf(String secret) {
        byte[] key = bytesOf(secret.replaceFirst("^whsec_", ""));
        if (key.length == 0) throw new IllegalArgumentException("a webhook secret must be whsec_ followed by base64");
        return key;
    }

    private static byte[] bytesOf(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException error) {
            return new byte[0];
        }
    }

    private static byte[] hmac(byte[] key, byte[] start, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(start);
            return mac.doFinal(body);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }
}
