// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * What came of canceling many timers.
 *
 * @param matched matched
 * @param tooLate tooLate
 * @param more more
 * @param canceled canceled
 */
public record Canceled(
        int matched,
        int tooLate,
        boolean more,
        int canceled) {}
