// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A timer as the service has it.
 *
 * @param id id
 * @param namespace namespace
 * @param groupId The namespace by its other name.
 * @param status status
 * @param executeAt When the current firing is due; a trigger of a cycle does not move it, nor do retries.
 * @param schedule As it was given; absent for a plain executeAt.
 * @param timeZone timeZone
 * @param dst In the nights when clocks change.
 * @param startAt Nothing fires before.
 * @param endAt Nothing fires after.
 * @param maxFirings How many iterations it has.
 * @param spread How far firings of many timers are spread.
 * @param calendar A calendar: nothing fires when it says so.
 * @param nominalAt When the schedule says that the current firing is, if executeAt is another time.
 * @param iteration Which iteration of a cycle is next, from 1.
 * @param catchUp Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
 * @param maxLateness What would begin later than this is missed.
 * @param overlap skip, queue or allow.
 * @param skipped How many iterations were not fired; absent for none.
 * @param running With overlap allow: iterations that have begun and are not over, beside the next one.
 * @param pausedUntil When the pause ends by itself.
 * @param callbackUrl callbackUrl
 * @param callback As it was given; header values are shown as ***.
 * @param payload payload
 * @param metadata metadata
 * @param retryPolicy retryPolicy
 * @param callbackTimeout callbackTimeout
 * @param callbackTimeoutSeconds callbackTimeoutSeconds
 * @param createdAt createdAt
 * @param updatedAt updatedAt
 * @param executedAt When the last attempt started.
 * @param triggeredAt Of a cycle: it fires once more, beside its schedule, as was asked for then.
 * @param nextAttemptAt While it waits for a retry.
 * @param attemptCount Attempts made of the current firing.
 * @param attempts The last attempts, oldest first.
 * @param lastError lastError
 * @param correlationId Of a timer that a message made: as the message had it.
 * @param version Grows with every change; see ifVersion.
 * @param deliveryId Sent with every attempt of the current firing, to recognise duplicates by.
 */
public record Timer(
        String id,
        String namespace,
        String groupId,
        Status status,
        Instant executeAt,
        String schedule,
        String timeZone,
        ClockChangeRules dst,
        Instant startAt,
        Instant endAt,
        Integer maxFirings,
        String spread,
        CalendarRule calendar,
        Instant nominalAt,
        Integer iteration,
        JsonNode catchUp,
        String maxLateness,
        String overlap,
        Integer skipped,
        List<RunningIteration> running,
        Instant pausedUntil,
        String callbackUrl,
        Callback callback,
        JsonNode payload,
        Map<String, Object> metadata,
        RetryPolicy retryPolicy,
        String callbackTimeout,
        double callbackTimeoutSeconds,
        Instant createdAt,
        Instant updatedAt,
        Instant executedAt,
        Instant triggeredAt,
        Instant nextAttemptAt,
        int attemptCount,
        List<Attempt> attempts,
        String lastError,
        String correlationId,
        int version,
        String deliveryId) {}
