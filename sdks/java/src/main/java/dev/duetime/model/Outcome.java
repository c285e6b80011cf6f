// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonValue;

/** One of the words that the service knows. */
public enum Outcome {
    /** {@code delivered} */
    DELIVERED("delivered"),
    /** {@code rescheduled} */
    RESCHEDULED("rescheduled"),
    /** {@code failed} */
    FAILED("failed"),
    /** A word of a later version of the service. */
    @JsonEnumDefaultValue
    UNKNOWN("unknown");

    private final String word;

    Outcome(String word) {
        this.word = word;
    }

    /**
     * As it is in the API.
     *
     * @return the word
     */
    @JsonValue
    public String word() {
        return word;
    }
}
