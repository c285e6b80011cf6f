// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** One of the words that the service knows. */
public enum OnConflict {
    /** {@code replace} */
    REPLACE("replace"),
    /** {@code keep} */
    KEEP("keep"),
    /** {@code reject} */
    REJECT("reject");

    private final String word;

    OnConflict(String word) {
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
