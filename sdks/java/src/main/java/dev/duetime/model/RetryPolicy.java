// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * When a failed delivery is tried again.
 *
 * @param maxRetries maxRetries
 * @param initialInterval initialInterval
 * @param backoffMultiplier backoffMultiplier
 * @param maxInterval maxInterval
 * @param maxRetryAttemptsDuration maxRetryAttemptsDuration
 */
public record RetryPolicy(
        int maxRetries,
        String initialInterval,
        double backoffMultiplier,
        String maxInterval,
        String maxRetryAttemptsDuration) {}
