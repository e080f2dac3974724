// What the embedded brokers' names of data objects say: `data/<topic id>/<partition>/<first>-<end>-<epoch>-<nonce>`, the end
// being the offset after the last record.
import type { ObjectRecords } from './target.ts';

const DATA_KEY = /^data\/([\w-]{22})\/(\d+)\/(\d+)-(\d+)-(\d+)-[^/]+$/;

/** The records a data object holds; undefined for any other key. */
export const describeEmbeddedKey = (key: string): ObjectRecords | undefined => {
  const [, topicId, partition, baseOffset, endOffset] = DATA_KEY.exec(key) ?? [];
  return topicId === undefined
    ? undefined
    : {
        topicId,
        partition: Number(partition),
        baseOffset: Number(baseOffset),
        endOffset: Number(endOffset),
      };
};
