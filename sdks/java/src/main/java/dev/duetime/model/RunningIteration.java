// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * An iteration that runs beside others of its timer.
 *
 * @param iteration iteration
 * @param executeAt executeAt
 * @param attemptCount Attempts that have ended.
 * @param nextAttemptAt When it is, or was, tried again.
 * @param deliveryId deliveryId
 */
public record RunningIteration(
        int iteration,
        Instant executeAt,
        int attemptCount,
        Instant nextAttemptAt,
        String deliveryId) {}
