// How time is counted everywhere.

/** Milliseconds since the epoch when the name ends in `At`, a length of time when it ends in `Ms`. */
export type Millis = number

/** The last instant a Date can hold, behind every due scan: the wake time of a paused timer. */
export const NEVER: Millis = 8_640_000_000_000_000
