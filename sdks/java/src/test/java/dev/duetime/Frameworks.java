package dev.duetime;

import com.sun.net.httpserver.HttpServer;
import dev.duetime.receiver.DuetimeHttpHandler;
import dev.duetime.receiver.DuetimeServlet;
import dev.duetime.receiver.Receiver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.Banner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Receivers on real servers. */
final class Frameworks {
    private static final String PATH = "/hooks/timer";

    private Frameworks() {}

    /** The URL of the receiver. */
    static String serve(String framework, Receiver receiver) throws Exception {
        int port =
                switch (framework) {
                    case "jdk" -> jdk(receiver);
                    case "servlet" -> jetty(receiver);
                    case "spring" -> springBoot(receiver);
                    default -> throw new IllegalArgumentException("no framework " + framework);
                };
        return "http://127.0.0.1:" + port + PATH;
    }

    private static int jdk(Receiver receiver) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(PATH, new DuetimeHttpHandler(receiver));
        server.start();
        return server.getAddress().getPort();
    }

    private static int jetty(Receiver receiver) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new DuetimeServlet(receiver)), PATH);
        server.setHandler(context);
        server.start();
        return connector.getLocalPort();
    }

    /** An application with the bean that the README shows. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        ServletRegistrationBean<DuetimeServlet> hook(Receiver receiver) {
            return new ServletRegistrationBean<>(new DuetimeServlet(receiver), PATH);
        }
    }

    private static int springBoot(Receiver receiver) {
        var context = new SpringApplicationBuilder(Application.class)
                .bannerMode(Banner.Mode.OFF)
                .properties("server.address=127.0.0.1", "server.port=0", "logging.level.root=WARN")
                .initializers(each -> each.getBeanFactory().registerSingleton("receiver", receiver))
                .run();
        return ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    }
}
