// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * The step with the most timers.
 *
 * @param at at
 * @param count count
 */
public record ForecastPeak(
        Instant at,
        int count) {}
