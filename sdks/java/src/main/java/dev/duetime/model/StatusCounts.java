// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * How many timers have each status.
 *
 * @param pending pending
 * @param paused paused
 * @param executing executing
 * @param completed completed
 * @param failed failed
 * @param canceled canceled
 */
public record StatusCounts(
        int pending,
        int paused,
        int executing,
        int completed,
        int failed,
        int canceled) {}
