package dev.duetime;

import dev.duetime.model.NewTimer;
import dev.duetime.model.TimerChanges;

/** One of many changes that share requests: a create, an update or a cancel. */
public final class BatchItem {
    final NewTimer create;
    final String id;
    final TimerChanges update;
    final Integer ifVersion;

    private BatchItem(NewTimer create, String id, TimerChanges update, Integer ifVersion) {
        this.create = create;
        this.id = id;
        this.update = update;
        this.ifVersion = ifVersion;
    }

    /**
     * As {@link Duetime#create}.
     *
     * @param timer what to call and when
     * @return the item
     */
    public static BatchItem create(NewTimer timer) {
        return new BatchItem(timer, null, null, null);
    }

    /**
     * As {@link Duetime#update}.
     *
     * @param id of the timer
     * @param changes of it
     * @return the item
     */
    public static BatchItem update(String id, TimerChanges changes) {
        return new BatchItem(null, id, changes, null);
    }

    /**
     * As {@link Duetime#cancel(String)}.
     *
     * @param id of the timer
     * @return the item
     */
    public static BatchItem cancel(String id) {
        return new BatchItem(null, id, null, null);
    }

    /**
     * As {@link Duetime#cancel(String, int)}.
     *
     * @param id of the timer
     * @param ifVersion its version
     * @return the item
     */
    public static BatchItem cancel(String id, int ifVersion) {
        return new BatchItem(null, id, null, ifVersion);
    }
}
