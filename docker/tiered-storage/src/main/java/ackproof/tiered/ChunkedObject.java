package ackproof.tiered;

import java.io.IOException;
import java.io.InputStream;

/**
 * Bytes of one object, fetched chunk by chunk as they are read: Kafka asks for a segment from a position to its end, takes one fetch's worth
 * and closes. So each request is for bytes that are told in advance, and is answered whole.
 */
final class ChunkedObject extends InputStream {
  private final Bucket bucket;
  private final String key;
  private final long end;
  private final int chunkBytes;
  private long next;
  private byte[] chunk = new byte[0];
  private int at;

  /** @param end the position after the last byte */
  ChunkedObject(Bucket bucket, String key, long start, long end, int chunkBytes) {
    this.bucket = bucket;
    this.key = key;
    this.next = start;
    this.end = end;
    this.chunkBytes = chunkBytes;
  }

  @Override
  public int read() throws IOException {
    return fill() ? chunk[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) return 0;
    if (!fill()) return -1;
    int count = Math.min(length, chunk.length - at);
    System.arraycopy(chunk, at, into, offset, count);
    at += count;
    return count;
  }

  /** Fetches the next chunk where none of the last is left; false at the end. */
  boolean fill() throws IOException {
    if (at < chunk.length) return true;
    if (next >= end) return false;
    long last = Math.min(end, next + chunkBytes) - 1;
    chunk = bucket.get(key, next, last);
    next = last + 1;
    at = 0;
    return true;
  }
}
