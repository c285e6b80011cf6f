package dev.duetime;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAmount;

/** Schedules as Java has them at hand, in the form that the service takes. A {@link Period} follows the calendar, a {@link Duration} the clock. */
public final class Schedules {
    private Schedules() {}

    /**
     * Fires once, so long after the service has stored it.
     *
     * @param amount how long
     * @return a schedule
     */
    public static String after(TemporalAmount amount) {
        boolean isNegative = amount instanceof Duration duration ? duration.isNegative() : amount instanceof Period period && period.isNegative();
        if (isNegative) throw DuetimeException.invalidInput("schedule", "a schedule must not be negative, which " + amount + " is");
        return amount instanceof Duration duration ? duration.truncatedTo(ChronoUnit.MILLIS).toString() : amount.toString();
    }

    /**
     * Fires again and again, for ever, first one interval from now.
     *
     * @param interval how long between two firings
     * @return a schedule
     */
    public static String every(TemporalAmount interval) {
        return "R/" + after(interval);
    }

    /**
     * Fires so many times, first one interval from now.
     *
     * @param interval how long between two firings
     * @param times how often, from 1
     * @return a schedule
     */
    public static String every(TemporalAmount interval, int times) {
        return "R" + times + "/" + after(interval);
    }

    /**
     * Fires again and again, for ever.
     *
     * @param interval how long between two firings
     * @param first when it fires first
     * @return a schedule
     */
    public static String every(TemporalAmount interval, Instant first) {
        return "R/" + first.truncatedTo(ChronoUnit.MILLIS) + "/" + after(interval);
    }
}
