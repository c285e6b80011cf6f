// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * A firing that is not simply when the schedule says.
 *
 * @param executeAt executeAt
 * @param nominalAt When the schedule says, if that is another time.
 * @param reasons reasons
 * @param note The reasons in words.
 */
public record UnusualFiring(
        Instant executeAt,
        Instant nominalAt,
        List<String> reasons,
        String note) {}
