// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import java.time.Instant;
import java.util.List;

/**
 * How many timers there are, and what happened lately.
 *
 * @param now now
 * @param version version
 * @param node node
 * @param scope Counts are of the whole cluster; the rest is what this node did since it started.
 * @param database database
 * @param startedAt startedAt
 * @param namespace namespace
 * @param tracked false: there are more namespaces than a node follows, so figures of this one may be missing.
 * @param counts counts
 * @param countsAt countsAt
 * @param namespaces The 50 with the most live timers.
 * @param namespacesTotal namespacesTotal
 * @param gauges Of the whole node; null for a key that is bound to namespaces.
 * @param lastMinute lastMinute
 * @param lastHour lastHour
 * @param lateness Of the last hour, in ms. The histogram has the buckets that something is in.
 * @param latenessLastMinute latenessLastMinute
 * @param perSecond The last 60 seconds that are over.
 */
public record Overview(
        Instant now,
        String version,
        String node,
        String scope,
        String database,
        Instant startedAt,
        String namespace,
        boolean tracked,
        StatusCounts counts,
        Instant countsAt,
        List<NamespaceCounts> namespaces,
        int namespacesTotal,
        NodeGauges gauges,
        ActivityCounts lastMinute,
        ActivityCounts lastHour,
        Lateness lateness,
        Lateness latenessLastMinute,
        List<ActivitySecond> perSecond) {}
