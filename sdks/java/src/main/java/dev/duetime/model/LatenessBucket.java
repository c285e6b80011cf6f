// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * How many were late by this much at most, and more than the bucket before.
 *
 * @param leMs leMs
 * @param count count
 */
public record LatenessBucket(
        int leMs,
        int count) {}
