package dev.duetime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Whether a timer that is there is the one that was asked for. Needed after an answer was lost: what looks like a conflict may be the
 * trace of the first attempt.
 */
final class SameTimer {
    private SameTimer() {}

    /** Everything that was asked for is so. Policies and time limits do not count: the server writes them in its own way. */
    static boolean isAsAsked(JsonNode timer, JsonNode asked) {
        return (!asked.has("executeAt") || isInstant(timer, asked.get("executeAt")))
                && (!asked.has("schedule") || isSchedule(timer, asked.get("schedule")))
                && isTarget(timer.get("callback"), asked)
                && (!asked.has("payload") || isSame(timer.get("payload"), asked.get("payload")))
                && (!asked.has("metadata") || isSame(timer.get("metadata"), asked.get("metadata")));
    }

    /** A schedule can be an instant as well, and then shows as the due time. */
    private static boolean isSchedule(JsonNode timer, JsonNode asked) {
        return timer.has("schedule") ? timer.get("schedule").equals(asked) : isInstant(timer, asked);
    }

    private static boolean isInstant(JsonNode timer, JsonNode asked) {
        try {
            // Before it was spread.
            String due = timer.path(timer.has("nominalAt") ? "nominalAt" : "executeAt").asText();
            return OffsetDateTime.parse(due).isEqual(OffsetDateTime.parse(asked.asText()));
        } catch (DateTimeException error) {
            return false;
        }
    }

    private static boolean isSame(JsonNode shown, JsonNode asked) {
        return shown == null ? asked.isNull() : shown.equals(asked);
    }

    private static boolean isTarget(JsonNode shown, JsonNode asked) {
        JsonNode wanted = asked.get("callback");
        if (wanted == null && asked.has("callbackUrl"))
            wanted = JsonNodeFactory.instance.objectNode().put("type", "http").set("url", asked.get("callbackUrl"));
        if (wanted == null) return true;
        return shown != null && comparable(shown).equals(comparable(wanted));
    }

    /** Answers hide the values of headers, and credentials in a URL; they show it as it was given, or in the form in which it is used. */
    private static ObjectNode comparable(JsonNode callback) {
        ObjectNode copy = callback.deepCopy();
        copy.remove("headers");
        if (copy.has("url")) copy.put("url", comparableUrl(copy.get("url").asText()));
        return copy;
    }

    private static String comparableUrl(String text) {
        try {
            URI uri = URI.create(text);
            int port = uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
            String host = Objects.requireNonNullElse(uri.getHost(), "").toLowerCase(Locale.ROOT);
            String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
            return List.of(uri.getScheme(), host, port, path, String.valueOf(uri.getRawQuery()), uri.getRawUserInfo() == null).toString();
        } catch (IllegalArgumentException | NullPointerException error) {
            return text;
        }
    }
}
