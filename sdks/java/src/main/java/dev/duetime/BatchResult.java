package dev.duetime;

import dev.duetime.model.Timer;

/**
 * What came of one timer of a batch: one of the two is null.
 *
 * @param timer that was made
 * @param error why it was not
 */
public record BatchResult(Timer timer, DuetimeException error) {}
