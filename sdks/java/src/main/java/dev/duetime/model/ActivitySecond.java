// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * What happened in a second.
 *
 * @param at at
 * @param fired fired
 * @param delivered delivered
 * @param rescheduled rescheduled
 * @param retried retried
 * @param failed failed
 * @param created created
 * @param canceled canceled
 */
public record ActivitySecond(
        Instant at,
        int fired,
        int delivered,
        int rescheduled,
        int retried,
        int failed,
        int created,
        int canceled) {}
