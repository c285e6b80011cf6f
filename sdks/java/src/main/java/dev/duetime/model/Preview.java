// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * When a timer would fire.
 *
 * @param now now
 * @param firings firings
 * @param timeZone timeZone
 * @param localFirings localFirings
 * @param description The schedule in words.
 * @param unusual Those of the firings that are not simply when the schedule says: where clocks change, say.
 */
public record Preview(
        Instant now,
        List<Instant> firings,
        String timeZone,
        List<String> localFirings,
        String description,
        List<UnusualFiring> unusual) {}
