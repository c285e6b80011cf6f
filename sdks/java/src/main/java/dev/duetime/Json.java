package dev.duetime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** JSON as the service writes and reads it. Fields of later versions are ignored, and what is null is left out. */
public final class Json {
    /** Shared, and safe to be. */
    public static final ObjectMapper MAPPER = new ObjectMapper()
            .registerModule(new SimpleModule()
                    .addSerializer(new InstantSerializer())
                    .addDeserializer(Instant.class, new InstantDeserializer()))
            .setSerializationInclusion(JsonInclude.Include.NON_NULL)
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
            .configure(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE, true)
            .configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, true);

    private Json() {}

    static byte[] bytes(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JacksonException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** As the service will read it: a payload of any class becomes what it is written as. */
    static ObjectNode object(Object value) {
        try {
            return (ObjectNode) MAPPER.readTree(MAPPER.writeValueAsBytes(value));
        } catch (IOException error) {
            throw new UncheckedIOException("the request cannot be written as JSON", error);
        }
    }

    static <T> T read(JsonNode value, Class<T> type) {
        return MAPPER.convertValue(value, type);
    }

    static String text(Instant at) {
        return at.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static final class InstantSerializer extends StdSerializer<Instant> {
        private static final long serialVersionUID = 1L;

        InstantSerializer() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(text(value));
        }
    }

    private static final class InstantDeserializer extends StdDeserializer<Instant> {
        private static final long serialVersionUID = 1L;

        InstantDeserializer() {
            super(Instant.class);
        }

        @Override
        public Instant deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return OffsetDateTime.parse(in.getText()).toInstant();
        }
    }
}
