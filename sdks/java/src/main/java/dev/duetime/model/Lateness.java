// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.util.List;

/**
 * How late deliveries began, in milliseconds.
 *
 * @param count count
 * @param p50 p50
 * @param p90 p90
 * @param p99 p99
 * @param max max
 * @param histogram histogram
 */
public record Lateness(
        int count,
        Integer p50,
        Integer p90,
        Integer p99,
        Integer max,
        List<LatenessBucket> histogram) {}
