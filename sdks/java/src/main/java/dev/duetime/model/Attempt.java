// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * One attempt to deliver.
 *
 * @param at at
 * @param durationMs durationMs
 * @param outcome outcome
 * @param statusCode statusCode
 * @param error error
 * @param note What is worth knowing although it is no failure: an unexpected answer, a wait that was changed.
 * @param iteration Of one that ran beside others.
 */
public record Attempt(
        Instant at,
        double durationMs,
        Outcome outcome,
        Integer statusCode,
        String error,
        String note,
        Integer iteration) {}
