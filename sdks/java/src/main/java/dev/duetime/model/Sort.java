// Generated from the schemas of the service by `npm run docs`: change it there.
package dev.duetime.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** One of the words that the service knows. */
public enum Sort {
    /** {@code dueAt} */
    DUE_AT("dueAt"),
    /** {@code createdAt} */
    CREATED_AT("createdAt");

    private final String word;

    Sort(String word) {
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
