// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonValue;

/** One of the words that the service knows. */
public enum Status {
    /** {@code pending} */
    PENDING("pending"),
    /** {@code paused} */
    PAUSED("paused"),
    /** {@code executing} */
    EXECUTING("executing"),
    /** {@code completed} */
    COMPLETED("completed"),
    /** {@code failed} */
    FAILED("failed"),
    /** {@code canceled} */
    CANCELED("canceled"),
    /** A word of a later version of the service. */
    @JsonEnumDefaultValue
    UNKNOWN("unknown");

    private final String word;

    Status(String word) {
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
