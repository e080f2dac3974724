package ackproof.tiered;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** As much of S3 as the manager uses, with the requests that came and an answer that can be ordered. */
final class S3Stub implements AutoCloseable {
  final Map<String, byte[]> objects = Collections.synchronizedMap(new TreeMap<>());
  /** Method, path and range of each request. */
  final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  volatile int refuseWith = 0;
  volatile long holdMs = 0;
  volatile String lastCaller = "";

  private final HttpServer server;

  S3Stub() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    String path = exchange.getRequestURI().getRawPath();
    String range = exchange.getRequestHeaders().getFirst("range");
    lastCaller = exchange.getRequestHeaders().getFirst("x-ackproof-client");
    requests.add(method + " " + path + (range == null ? "" : " " + range));
    byte[] body = exchange.getRequestBody().readAllBytes();
    hold();
    if (refuseWith != 0) {
      send(exchange, refuseWith, "<Code>SlowDown</Code>".getBytes(StandardCharsets.UTF_8));
    } else if (method.equals("PUT")) {
      objects.put(path, body);
      send(exchange, 200, new byte[0]);
    } else if (method.equals("DELETE")) {
      objects.remove(path);
      send(exchange, 204, new byte[0]);
    } else {
      give(exchange, objects.get(path), range);
    }
  }

  private static void give(HttpExchange exchange, byte[] object, String range) throws IOException {
    if (object == null) {
      send(exchange, 404, "<Code>NoSuchKey</Code>".getBytes(StandardCharsets.UTF_8));
    } else if (range == null) {
      send(exchange, 200, object);
    } else {
      String[] ends = range.substring("bytes=".length()).split("-");
      int to = Math.min(object.length, Integer.parseInt(ends[1]) + 1);
      send(exchange, 206, Arrays.copyOfRange(object, Integer.parseInt(ends[0]), to));
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void hold() {
    try {
      Thread.sleep(holdMs);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
