// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * How many timers are due in one step.
 *
 * @param at at
 * @param count count
 * @param hot hot
 */
public record ForecastStep(
        Instant at,
        int count,
        boolean hot) {}
