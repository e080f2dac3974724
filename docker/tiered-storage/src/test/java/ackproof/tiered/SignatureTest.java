package ackproof.tiered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignatureTest {
  private static final Signature EXAMPLE =
      new Signature("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1");

  /** The GET of a range in Amazon's own description of the signature. */
  @Test
  void signsAsThePublishedExample() {
    Map<String, String> signed =
        EXAMPLE.sign(
            "GET",
            "/test.txt",
            Map.of("host", "examplebucket.s3.amazonaws.com", "range", "bytes=0-9"),
            Signature.hash(new byte[0]),
            Instant.parse("2013-05-24T00:00:00Z"));
    assertEquals(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        signed.get("authorization"));
  }

  @Test
  void hashesAFileAsItsBytes(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("segment"), new byte[100_000]);
    assertEquals(Signature.hash(new byte[100_000]), Signature.hash(file));
  }

  @Test
  void showsNoSecret() {
    assertFalse(EXAMPLE.toString().contains("wJalr"));
  }
}
