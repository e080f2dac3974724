package ackproof.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentId;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class S3RemoteStorageManagerTest {
  private static final Map<String, String> LOGIN =
      Map.of("AWS_ACCESS_KEY_ID", "drill", "AWS_SECRET_ACCESS_KEY", "hidden");
  private static final Uuid TOPIC = Uuid.fromString("AAAAAAAAAAAAAAAAAAAAAQ");
  private static final Uuid SEGMENT = Uuid.fromString("AAAAAAAAAAAAAAAAAAAAAg");
  private static final byte[] LOG = new byte[2500];

  static {
    for (int at = 0; at < LOG.length; at++) LOG[at] = (byte) (at * 31);
  }

  private final RemoteLogSegmentMetadata segment =
      new RemoteLogSegmentMetadata(
          new RemoteLogSegmentId(new TopicIdPartition(TOPIC, new TopicPartition("orders", 2)), SEGMENT),
          40,
          99,
          1_000,
          1,
          2_000,
          LOG.length,
          Map.of(0, 40L));
  private final S3RemoteStorageManager manager = new S3RemoteStorageManager();
  private S3Stub store;
  @TempDir Path folder;

  @BeforeEach
  void start() throws IOException {
    store = new S3Stub();
    manager.configure(settings(Map.of()), LOGIN);
  }

  @AfterEach
  void stop() throws IOException {
    manager.close();
    store.close();
  }

  private Map<String, Object> settings(Map<String, Object> more) {
    Map<String, Object> settings =
        new HashMap<>(
            Map.of(
                "broker.id", 3,
                "s3.endpoint", store.endpoint(),
                "s3.bucket", "tiered",
                "s3.prefix", "drill/",
                "s3.chunk.bytes", "1000",
                "s3.timeout.ms", "2000"));
    settings.putAll(more);
    return settings;
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  private LogSegmentData data(boolean transactions) throws IOException {
    return new LogSegmentData(
        file("log", LOG),
        file("index", new byte[] {1}),
        file("timeindex", new byte[] {2}),
        transactions ? Optional.of(file("txnindex", new byte[] {3})) : Optional.empty(),
        file("snapshot", new byte[] {4}),
        ByteBuffer.wrap("epochs".getBytes(StandardCharsets.UTF_8)));
  }

  private static String key(String suffix) {
    return "/tiered/drill/" + TOPIC + "/2/00000000000000000040-00000000000000000100-" + SEGMENT + "." + suffix;
  }

  @Test
  void copiesEachFileAsItIsAndTheLogLast() throws Exception {
    manager.copyLogSegmentData(segment, data(true));
    assertArrayEquals(LOG, store.objects.get(key("log")));
    assertArrayEquals(new byte[] {3}, store.objects.get(key("txnindex")));
    assertEquals(6, store.objects.size());
    assertEquals("PUT " + key("log"), store.requests.get(5));
    assertEquals("broker/3", store.lastCaller);
  }

  @Test
  void copiesAnEmptyFileToo() throws Exception {
    LogSegmentData empty =
        new LogSegmentData(
            file("log", LOG),
            file("index", new byte[0]),
            file("timeindex", new byte[0]),
            Optional.empty(),
            file("snapshot", new byte[0]),
            ByteBuffer.allocate(0));
    manager.copyLogSegmentData(segment, empty);
    try (InputStream index = manager.fetchIndex(segment, IndexType.OFFSET)) {
      assertArrayEquals(new byte[0], index.readAllBytes());
    }
  }

  @Test
  void givesBackEachIndex() throws Exception {
    manager.copyLogSegmentData(segment, data(true));
    Map<IndexType, byte[]> expected =
        Map.of(
            IndexType.OFFSET, new byte[] {1},
            IndexType.TIMESTAMP, new byte[] {2},
            IndexType.TRANSACTION, new byte[] {3},
            IndexType.PRODUCER_SNAPSHOT, new byte[] {4},
            IndexType.LEADER_EPOCH, "epochs".getBytes(StandardCharsets.UTF_8));
    for (IndexType type : IndexType.values()) {
      try (InputStream index = manager.fetchIndex(segment, type)) {
        assertArrayEquals(expected.get(type), index.readAllBytes(), type.name());
      }
    }
  }

  @Test
  void readsFromAPositionToTheEndInWholeRanges() throws Exception {
    manager.copyLogSegmentData(segment, data(false));
    store.requests.clear();
    try (InputStream read = manager.fetchLogSegment(segment, 300)) {
      assertArrayEquals(Arrays.copyOfRange(LOG, 300, LOG.length), read.readAllBytes());
    }
    String get = "GET " + key("log") + " bytes=";
    assertEquals(List.of(get + "300-1299", get + "1300-2299", get + "2300-2499"), store.requests);
  }

  @Test
  void asksForNoMoreThanIsRead() throws Exception {
    manager.copyLogSegmentData(segment, data(false));
    store.requests.clear();
    try (InputStream read = manager.fetchLogSegment(segment, 0)) {
      assertArrayEquals(Arrays.copyOf(LOG, 1000), read.readNBytes(1000));
    }
    assertEquals(List.of("GET " + key("log") + " bytes=0-999"), store.requests);
  }

  @Test
  void includesTheLastPositionAndEndsWithTheSegment() throws Exception {
    manager.copyLogSegmentData(segment, data(false));
    try (InputStream read = manager.fetchLogSegment(segment, 10, 10)) {
      assertArrayEquals(new byte[] {LOG[10]}, read.readAllBytes());
    }
    try (InputStream read = manager.fetchLogSegment(segment, 2499, 9999)) {
      assertArrayEquals(new byte[] {LOG[2499]}, read.readAllBytes());
    }
  }

  @Test
  void tellsWhatIsNotThereFromWhatFailed() throws Exception {
    assertThrows(RemoteResourceNotFoundException.class, () -> manager.fetchLogSegment(segment, 0));
    assertThrows(
        RemoteResourceNotFoundException.class, () -> manager.fetchIndex(segment, IndexType.TRANSACTION));
    store.refuseWith = 503;
    RemoteStorageException failed =
        assertThrows(RemoteStorageException.class, () -> manager.fetchLogSegment(segment, 0));
    assertEquals(RemoteStorageException.class, failed.getClass());
    assertTrue(failed.getMessage().contains("503: <Code>SlowDown"), failed.getMessage());
  }

  /** A short answer must never look like the end of a segment. */
  @Test
  void refusesAnObjectThatIsShorterThanItsSegment() throws Exception {
    manager.copyLogSegmentData(segment, data(false));
    store.objects.put(key("log"), Arrays.copyOf(LOG, 1200));
    try (InputStream read = manager.fetchLogSegment(segment, 0)) {
      IOException cut = assertThrows(IOException.class, read::readAllBytes);
      assertTrue(cut.getMessage().contains("gave 200 bytes and not 1000"), cut.getMessage());
    }
  }

  @Test
  void failsACopyThatWasRefusedHalfWay() throws Exception {
    store.refuseWith = 500;
    LogSegmentData copied = data(false);
    assertThrows(RemoteStorageException.class, () -> manager.copyLogSegmentData(segment, copied));
    assertEquals(1, store.requests.size(), "a call is one request");
  }

  @Test
  void givesUpOnAnAnswerThatDoesNotCome() throws Exception {
    store.holdMs = 3_000;
    manager.configure(settings(Map.of("s3.timeout.ms", "100")), LOGIN);
    RemoteStorageException late =
        assertThrows(RemoteStorageException.class, () -> manager.fetchLogSegment(segment, 0));
    assertTrue(late.getMessage().contains("not answered within 100 ms"), late.getMessage());
    assertInstanceOf(IOException.class, late.getCause());
  }

  @Test
  void deletesAllOfASegmentAndMayDoSoTwice() throws Exception {
    manager.copyLogSegmentData(segment, data(true));
    manager.deleteLogSegmentData(segment);
    assertTrue(store.objects.isEmpty());
    manager.deleteLogSegmentData(segment);
    store.refuseWith = 503;
    assertThrows(RemoteStorageException.class, () -> manager.deleteLogSegmentData(segment));
  }

  @Test
  void refusesSettingsThatCannotBeUsed() {
    assertThrows(ConfigException.class, () -> manager.configure(settings(Map.of()), Map.of()));
    for (String endpoint : new String[] {"127.0.0.1:9000", "http://a/b", "http://k:s@a:1", ""}) {
      assertThrows(
          ConfigException.class, () -> manager.configure(settings(Map.of("s3.endpoint", endpoint)), LOGIN), endpoint);
    }
    assertThrows(
        ConfigException.class, () -> manager.configure(settings(Map.of("s3.chunk.bytes", "0")), LOGIN));
  }
}
