package dev.duetime;

import dev.duetime.model.Timer;

/**
 * What came of one item of a batch: one of the two is null, and of a cancel that was carried out both are.
 *
 * @param timer that was made or changed
 * @param error why it was not
 */
public record BatchResult(Timer timer, DuetimeException error) {}
