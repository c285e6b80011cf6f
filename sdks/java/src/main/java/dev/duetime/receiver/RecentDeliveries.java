package dev.duetime.receiver;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Remembers in this process only, and only so many: the oldest ones are forgotten first. */
public final class RecentDeliveries implements DeliveryMemory {
    private static final int DELIVERIES_MAX = 10_000; // a few MB; a delivery comes again within seconds or minutes, not after so many others

    private final int max;
    private final Map<String, Claim> claims = new LinkedHashMap<>();

    /** For 10,000 deliveries. */
    public RecentDeliveries() {
        this(DELIVERIES_MAX);
    }

    /**
     * For so many.
     *
     * @param max how many
     */
    public RecentDeliveries(int max) {
        this.max = max;
    }

    @Override
    public synchronized Claim claim(String deliveryId) {
        Claim known = claims.get(deliveryId);
        if (known != null) return known;
        claims.put(deliveryId, new Claim(false, null));
        if (claims.size() > max) {
            Iterator<String> oldest = claims.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        return new Claim(true, null);
    }

    @Override
    public synchronized void keep(String deliveryId, Answer answer) {
        claims.replace(deliveryId, new Claim(false, answer));
    }

    @Override
    public synchronized void release(String deliveryId) {
        claims.remove(deliveryId);
    }
}
