import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final byte[] KEY = Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").replace("whsec_", ""));
    static final Set<String> seen = ConcurrentHashMap.newKeySet(); // in production: a unique column in your database

    static boolean isGenuine(Headers headers, byte[] body) throws Exception {
        String id = headers.getFirst("webhook-id"), sent = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        if (id == null || sent == null || signatures == null) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sent)) > 300) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((id + "." + sent + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
        for (String one : signatures.split(" ")) if (MessageDigest.isEqual(expected, one.getBytes())) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean genuine = false;
            try {
                genuine = isGenuine(exchange.getRequestHeaders(), body);
            } catch (Exception refused) {
                // Not signed as it should be.
            }
            // The delivery id is also in a header, so that no JSON library is needed to recognise a duplicate.
            if (genuine && seen.add(exchange.getRequestHeaders().getFirst("webhook-id")))
                System.out.println("due: " + new String(body, StandardCharsets.UTF_8));
            byte[] answer = genuine ? "{\"ok\": true}".getBytes() : new byte[0];
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(genuine ? 200 : 401, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }
}
