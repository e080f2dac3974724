package ackproof.tiered;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One bucket of an S3 service, by path style. A call is one request: nothing is tried again here, so that what becomes of a request is what
 * Kafka is told. A whole answer, its body included, has to be there within the deadline.
 */
final class Bucket {
  /** The service answered, and refused. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;
    final int status;

    Refused(String what, int status, String said) {
      super(what + " was answered " + status + (said.isBlank() ? "" : ": " + said));
      this.status = status;
    }
  }

  private static final int MOST_SAID = 300;
  private static final String NOTHING = Signature.hash(new byte[0]);

  private final HttpClient client;
  private final URI endpoint;
  private final String name;
  private final String caller;
  private final Signature signature;
  private final Duration deadline;

  /** @param caller stands in the header {@code x-ackproof-client} of each request */
  Bucket(URI endpoint, String name, String caller, Signature signature, Duration deadline) {
    this.endpoint = endpoint;
    this.name = name;
    this.caller = caller;
    this.signature = signature;
    this.deadline = deadline;
    // HTTP/1.1, as S3 services and the proxies before them speak it.
    this.client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(deadline).build();
  }

  void put(String key, byte[] bytes) throws IOException {
    BodyPublisher body = bytes.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(bytes);
    expect(200, "PUT", key, send("PUT", key, Map.of(), body, Signature.hash(bytes)));
  }

  /** A file that nobody changes any more. */
  void put(String key, Path file) throws IOException {
    BodyPublisher body = Files.size(file) == 0 ? BodyPublishers.noBody() : BodyPublishers.ofFile(file);
    expect(200, "PUT", key, send("PUT", key, Map.of(), body, Signature.hash(file)));
  }

  /** Bytes {@code first} to {@code last}, both included. */
  byte[] get(String key, long first, long last) throws IOException {
    HttpResponse<byte[]> answer = send("GET", key, Map.of("range", "bytes=" + first + "-" + last));
    byte[] bytes = expect(206, "GET", key, answer);
    long wanted = last - first + 1;
    if (bytes.length == wanted) return bytes;
    throw new IOException("GET " + key + " gave " + bytes.length + " bytes and not " + wanted);
  }

  byte[] get(String key) throws IOException {
    return expect(200, "GET", key, send("GET", key, Map.of()));
  }

  /** Also where there is no such object. */
  void delete(String key) throws IOException {
    expect(204, "DELETE", key, send("DELETE", key, Map.of()));
  }

  private byte[] expect(int status, String method, String key, HttpResponse<byte[]> answer) throws Refused {
    if (answer.statusCode() == status) return answer.body();
    String said = new String(answer.body(), StandardCharsets.UTF_8);
    throw new Refused(
        method + " " + key, answer.statusCode(), said.substring(0, Math.min(said.length(), MOST_SAID)));
  }

  private HttpResponse<byte[]> send(String method, String key, Map<String, String> more) throws IOException {
    return send(method, key, more, BodyPublishers.noBody(), NOTHING);
  }

  private HttpResponse<byte[]> send(
      String method, String key, Map<String, String> more, BodyPublisher body, String bodyHash)
      throws IOException {
    String path = "/" + name + "/" + key;
    Map<String, String> headers = new TreeMap<>(more);
    headers.put("host", endpoint.getRawAuthority());
    HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.resolve(path));
    request.method(method, body);
    request.setHeader("x-ackproof-client", caller);
    signature
        .sign(method, path, headers, bodyHash, Instant.now())
        .forEach(
            (header, value) -> {
              // The client writes it itself, from the address.
              if (!header.equals("host")) request.setHeader(header, value);
            });
    return within(method + " " + key, client.sendAsync(request.build(), BodyHandlers.ofByteArray()));
  }

  private HttpResponse<byte[]> within(String what, CompletableFuture<HttpResponse<byte[]>> answer)
      throws IOException {
    try {
      return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      answer.cancel(true);
      throw new IOException(what + " was not answered within " + deadline.toMillis() + " ms", late);
    } catch (ExecutionException failed) {
      throw new IOException(what + " failed: " + failed.getCause(), failed.getCause());
    } catch (InterruptedException interrupted) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException(what + " was interrupted", interrupted);
    }
  }
}
