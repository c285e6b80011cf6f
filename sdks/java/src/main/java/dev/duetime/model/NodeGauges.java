// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

/**
 * What the node that answered has in memory and under way.
 *
 * @param inFlight inFlight
 * @param ready ready
 * @param windowTimers windowTimers
 * @param commitQueue commitQueue
 * @param ownedShards ownedShards
 * @param listeners listeners
 */
public record NodeGauges(
        int inFlight,
        int ready,
        int windowTimers,
        int commitQueue,
        int ownedShards,
        int listeners) {}
