// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * What happened in a time.
 *
 * @param fired fired
 * @param delivered delivered
 * @param rescheduled rescheduled
 * @param retried retried
 * @param failed failed
 * @param created created
 * @param canceled canceled
 */
public record ActivityCounts(
        int fired,
        int delivered,
        int rescheduled,
        int retried,
        int failed,
        int created,
        int canceled) {}
