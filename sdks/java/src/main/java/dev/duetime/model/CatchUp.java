// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** One of the words that the service knows. */
public enum CatchUp {
    /** {@code all} */
    ALL("all"),
    /** {@code one} */
    ONE("one");

    private final String word;

    CatchUp(String word) {
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
