// A backend with one protected form: java Java.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

public class Java {
  // 8<
  // Java 11 or later, the standard library alone; with a JSON library at hand, use it for the answer.
  static final HttpClient CAPTCHA = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();

  static boolean passedCaptcha(String token, String ip) throws IOException, InterruptedException {
    if (token == null || token.isEmpty()) return false;
    String query = "jwt=" + URLEncoder.encode(token, StandardCharsets.UTF_8)
        + "&ip=" + URLEncoder.encode(ip, StandardCharsets.UTF_8);
    HttpRequest request = HttpRequest.newBuilder(URI.create("{captcha_url}/{site_key}/verify?" + query))
        .header("X-Api-Key", System.getenv("CAPTCHA_API_KEY"))
        .timeout(Duration.ofSeconds(3))
        .build();
    HttpResponse<String> answer = CAPTCHA.send(request, HttpResponse.BodyHandlers.ofString());
    // Nobody knows whether it was a human: the caller decides; here it does not go on.
    if (answer.statusCode() >= 500) throw new IOException("captcha: status " + answer.statusCode());
    boolean success = Pattern.compile("\"success\"\\s*:\\s*true").matcher(answer.body()).find();
    if (!success && !answer.body().contains("\"invalid_jwt\""))
      System.err.println("captcha: check the integration: " + answer.body());
    return success;
  }
  // >8

  public static void main(String[] arguments) throws IOException {
    int port = Integer.parseInt(Optional.ofNullable(System.getenv("PORT")).orElse("3000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", Java::form);
    server.start();
  }

  static void form(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String token = null;
    for (String field : body.split("&"))
      if (field.startsWith("captcha-token="))
        token = URLDecoder.decode(field.substring("captcha-token=".length()), StandardCharsets.UTF_8);
    try {
      String ip = exchange.getRemoteAddress().getAddress().getHostAddress();
      if (passedCaptcha(token, ip)) answer(exchange, 200, "done");
      else answer(exchange, 403, "please solve the captcha again");
    } catch (IOException | InterruptedException error) {
      System.err.println(error.getMessage());
      answer(exchange, 503, "please try again later");
    }
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
