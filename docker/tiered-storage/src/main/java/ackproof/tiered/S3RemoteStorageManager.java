package ackproof.tiered;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;

/**
 * Keeps rolled segments in a bucket: an object for each file of a segment,
 * {@code <prefix><topic id>/<partition>/<first offset>-<offset after the last>-<segment id>.<log, index, …>}. Uploaded as they are and kept
 * in no cache, so that each cold read is one of the bucket. Settings, behind {@code rsm.config.}: {@code s3.endpoint}, {@code s3.bucket},
 * {@code s3.prefix}, {@code s3.region}, {@code s3.chunk.bytes}, {@code s3.timeout.ms}. The login is in the environment,
 * {@code AWS_ACCESS_KEY_ID} and {@code AWS_SECRET_ACCESS_KEY}, and in no file.
 */
public final class S3RemoteStorageManager implements RemoteStorageManager {
  private static final String DEFAULT_CHUNK_BYTES = String.valueOf(1024 * 1024);
  private static final String DEFAULT_TIMEOUT_MS = "10000";
  private static final String[] SUFFIXES = {"index", "timeindex", "snapshot", "epochs", "txnindex", "log"};

  private Bucket bucket;
  private String prefix;
  private int chunkBytes;

  @Override
  public void configure(Map<String, ?> configs) {
    configure(configs, System.getenv());
  }

  void configure(Map<String, ?> configs, Map<String, String> environment) {
    prefix = setting(configs, "s3.prefix", "");
    chunkBytes = wholeNumber(configs, "s3.chunk.bytes", DEFAULT_CHUNK_BYTES);
    Signature signature =
        new Signature(
            login(environment, "AWS_ACCESS_KEY_ID"),
            login(environment, "AWS_SECRET_ACCESS_KEY"),
            setting(configs, "s3.region", "us-east-1"));
    bucket =
        new Bucket(
            endpoint(setting(configs, "s3.endpoint", null)),
            setting(configs, "s3.bucket", null),
            "broker/" + setting(configs, "broker.id", "unknown"),
            signature,
            Duration.ofMillis(wholeNumber(configs, "s3.timeout.ms", DEFAULT_TIMEOUT_MS)));
  }

  /** The log comes last: where it is, all of the segment is. */
  @Override
  public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata segment, LogSegmentData data)
      throws RemoteStorageException {
    try {
      put(segment, "index", data.offsetIndex());
      put(segment, "timeindex", data.timeIndex());
      put(segment, "snapshot", data.producerSnapshotIndex());
      bucket.put(key(segment, "epochs"), bytesOf(data.leaderEpochIndex()));
      if (data.transactionIndex().isPresent()) put(segment, "txnindex", data.transactionIndex().get());
      put(segment, "log", data.logSegment());
      return Optional.empty();
    } catch (IOException failed) {
      throw new RemoteStorageException("The segment was not copied: " + failed.getMessage(), failed);
    }
  }

  @Override
  public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int startPosition)
      throws RemoteStorageException {
    return fetchLogSegment(segment, startPosition, segment.segmentSizeInBytes() - 1);
  }

  /** Both positions are included; the first chunk is fetched here, so that what fails is told at once. */
  @Override
  public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int startPosition, int endPosition)
      throws RemoteStorageException {
    long end = Math.min(endPosition, segment.segmentSizeInBytes() - 1L) + 1;
    ChunkedObject read = new ChunkedObject(bucket, key(segment, "log"), startPosition, end, chunkBytes);
    try {
      read.fill();
      return read;
    } catch (IOException failed) {
      throw unread(failed);
    }
  }

  @Override
  public InputStream fetchIndex(RemoteLogSegmentMetadata segment, IndexType type) throws RemoteStorageException {
    try {
      return new ByteArrayInputStream(bucket.get(key(segment, suffix(type))));
    } catch (IOException failed) {
      throw unread(failed);
    }
  }

  @Override
  public void deleteLogSegmentData(RemoteLogSegmentMetadata segment) throws RemoteStorageException {
    try {
      for (String suffix : SUFFIXES) bucket.delete(key(segment, suffix));
    } catch (IOException failed) {
      throw new RemoteStorageException("The segment was not deleted: " + failed.getMessage(), failed);
    }
  }

  @Override
  public void close() {
    // The HTTP client has no connection of its own to close; idle ones end by themselves.
  }

  private String key(RemoteLogSegmentMetadata segment, String suffix) {
    TopicIdPartition of = segment.topicIdPartition();
    return "%s%s/%d/%020d-%020d-%s.%s"
        .formatted(
            prefix,
            of.topicId(),
            of.partition(),
            segment.startOffset(),
            segment.endOffset() + 1,
            segment.remoteLogSegmentId().id(),
            suffix);
  }

  private void put(RemoteLogSegmentMetadata segment, String suffix, Path file) throws IOException {
    bucket.put(key(segment, suffix), file);
  }

  private static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static String suffix(IndexType type) {
    return switch (type) {
      case OFFSET -> "index";
      case TIMESTAMP -> "timeindex";
      case PRODUCER_SNAPSHOT -> "snapshot";
      case TRANSACTION -> "txnindex";
      case LEADER_EPOCH -> "epochs";
    };
  }

  /** Kafka goes on without what is not there, and tries the rest again. */
  private static RemoteStorageException unread(IOException failed) {
    return failed instanceof Bucket.Refused refused && refused.status == 404
        ? new RemoteResourceNotFoundException(failed.getMessage(), failed)
        : new RemoteStorageException(failed.getMessage(), failed);
  }

  private static String setting(Map<String, ?> configs, String name, String otherwise) {
    Object value = configs.get(name);
    if (value != null) return value.toString();
    if (otherwise != null) return otherwise;
    throw new ConfigException("rsm.config." + name + " is missing.");
  }

  private static int wholeNumber(Map<String, ?> configs, String name, String otherwise) {
    String value = setting(configs, name, otherwise);
    try {
      int number = Integer.parseInt(value);
      if (number > 0) return number;
    } catch (NumberFormatException notOne) {
      // Told below.
    }
    throw new ConfigException("rsm.config." + name, value, "a whole number above 0");
  }

  private static String login(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value != null && !value.isEmpty()) return value;
    throw new ConfigException("The environment variable " + name + " is not set.");
  }

  private static URI endpoint(String written) {
    try {
      URI uri = new URI(written);
      boolean bare = uri.getPath().isEmpty() || uri.getPath().equals("/");
      if (uri.getHost() != null && bare && uri.getQuery() == null && uri.getUserInfo() == null) return uri;
    } catch (URISyntaxException notOne) {
      // Told below.
    }
    throw new ConfigException("rsm.config.s3.endpoint", written, "http://host:port or https://host");
  }
}
