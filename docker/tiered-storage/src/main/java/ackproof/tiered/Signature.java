package ackproof.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** AWS Signature Version 4 of a request that has no query, by its headers. */
record Signature(String accessKey, String secretKey, String region) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /**
   * The headers to send: those given, those that a signature needs, and the signature.
   *
   * @param path as it stands in the request line, encoded
   * @param headers lower-case names; {@code host} among them
   * @param bodyHash SHA-256 of the body, in hexadecimal digits
   */
  Map<String, String> sign(
      String method, String path, Map<String, String> headers, String bodyHash, Instant now) {
    String time = TIME.format(now);
    SortedMap<String, String> signed = new TreeMap<>(headers);
    signed.put("x-amz-date", time);
    signed.put("x-amz-content-sha256", bodyHash);
    String names = String.join(";", signed.keySet());
    String lines =
        signed.entrySet().stream()
            .map(header -> header.getKey() + ":" + header.getValue().trim() + "\n")
            .collect(Collectors.joining());
    String canonical = String.join("\n", method, path, "", lines, names, bodyHash);
    String scope = time.substring(0, 8) + "/" + region + "/s3/aws4_request";
    String toSign = String.join("\n", "AWS4-HMAC-SHA256", time, scope, hash(utf8(canonical)));
    String signature = HexFormat.of().formatHex(hmac(keyFor(time.substring(0, 8)), toSign));
    signed.put(
        "authorization",
        "AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s"
            .formatted(accessKey, scope, names, signature));
    return signed;
  }

  /** SHA-256 in hexadecimal digits. */
  static String hash(byte[] bytes) {
    return HexFormat.of().formatHex(sha256().digest(bytes));
  }

  /** The same of a file, which may be larger than memory. */
  static String hash(Path file) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream bytes = Files.newInputStream(file);
        OutputStream into = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      bytes.transferTo(into);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }

  private byte[] keyFor(String day) {
    byte[] key = utf8("AWS4" + secretKey);
    for (String part : new String[] {day, region, "s3", "aws4_request"}) key = hmac(key, part);
    return key;
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(utf8(text));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A record's own text would show the secret. */
  @Override
  public String toString() {
    return "Signature[" + accessKey + "]";
  }
}
