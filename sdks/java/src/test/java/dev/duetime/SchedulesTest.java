package dev.duetime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import org.junit.jupiter.api.Test;

class SchedulesTest {
    @Test
    void whatIsNegativeIsRefused() {
        assertThrows(InvalidInputException.class, () -> Schedules.after(Duration.ofSeconds(-1)));
        assertThrows(InvalidInputException.class, () -> Schedules.every(Period.ofDays(-1)));
    }

    @Test
    void schedulesAreWrittenAsTheServiceTakesThem() {
        assertEquals("PT72H", Schedules.after(Duration.ofDays(3)));
        assertEquals("PT1.5S", Schedules.after(Duration.ofNanos(1_500_000_999)));
        assertEquals("PT0S", Schedules.after(Duration.ZERO));
        assertEquals("P1M", Schedules.after(Period.ofMonths(1)));
        assertEquals("R/P1D", Schedules.every(Period.ofDays(1)));
        assertEquals("R3/PT10M", Schedules.every(Duration.ofMinutes(10), 3));
        Instant first = Instant.parse("2030-01-31T09:00:00Z");
        assertEquals("R/2030-01-31T09:00:00Z/PT1H", Schedules.every(Duration.ofHours(1), first));
    }
}
