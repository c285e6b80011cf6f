// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.util.List;

/**
 * Some of the timers of a list, and where it goes on.
 *
 * @param timers timers
 * @param nextCursor nextCursor
 * @param total Of a sorted list or a search: how many match.
 * @param nextOffset Of a sorted list or a search whose page ended before its limit, because its timers are large: the offset to go on at.
 * @param searched searched
 */
public record TimerPage(
        List<Timer> timers,
        String nextCursor,
        Integer total,
        Integer nextOffset,
        String searched) {}
