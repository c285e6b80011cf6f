// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * What came of retrying many timers.
 *
 * @param matched matched
 * @param tooLate tooLate
 * @param more more
 * @param retried retried
 */
public record Retried(
        int matched,
        int tooLate,
        boolean more,
        int retried) {}
