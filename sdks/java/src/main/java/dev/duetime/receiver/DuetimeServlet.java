package dev.duetime.receiver;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A receiver as a Jakarta servlet; in Spring Boot, a {@code ServletRegistrationBean} puts it at a path. */
public final class DuetimeServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Receiver receiver;

    /**
     * Answers every request that reaches it.
     *
     * @param receiver of the deliveries
     */
    public DuetimeServlet(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        // One byte more than is taken shows that a body is too large.
        byte[] body = request.getInputStream().readNBytes(receiver.maxBodyBytes() + 1);
        Receiver.Reply reply = receiver.handle(request.getMethod(), request::getHeader, body);
        response.setStatus(reply.status());
        reply.headers().forEach(response::setHeader);
        response.setContentLength(reply.body().length);
        response.getOutputStream().write(reply.body());
    }
}
