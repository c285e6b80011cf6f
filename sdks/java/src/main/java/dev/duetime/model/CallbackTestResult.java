// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;

/**
 * What came of a callback that was tried.
 *
 * @param outcome outcome
 * @param statusCode statusCode
 * @param durationMs durationMs
 * @param error error
 * @param nextExecuteAt nextExecuteAt
 * @param deliveryId deliveryId
 * @param firedAt firedAt
 * @param responseBody responseBody
 * @param responseTruncated responseTruncated
 */
public record CallbackTestResult(
        Outcome outcome,
        Integer statusCode,
        int durationMs,
        String error,
        Instant nextExecuteAt,
        String deliveryId,
        Instant firedAt,
        String responseBody,
        boolean responseTruncated) {}
