// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * How many timers are due in each step of time from now.
 *
 * @param now now
 * @param stepMs stepMs
 * @param steps steps
 * @param overdue Due before the first step.
 * @param total total
 * @param complete false: there are more timers than are counted, so some are missing; of hours, those of a day are spread over it instead.
 * @param peak peak
 */
public record Forecast(
        Instant now,
        int stepMs,
        List<ForecastStep> steps,
        int overdue,
        int total,
        boolean complete,
        ForecastPeak peak) {}
