import { describe, expect, it } from 'vitest';
import { describeEmbeddedKey } from './embedded-keys.ts';

const TOPIC = 'fZKvQqh7GMZao5qI2WcIkQ';

describe('keys of the embedded cluster', () => {
  it('of data objects tell partition and offsets', () => {
    expect(describeEmbeddedKey(`data/${TOPIC}/12/0000000000000100-0000000000000250-7-Ab_9`)).toEqual({
      topicId: TOPIC,
      partition: 12,
      baseOffset: 100,
      endOffset: 250,
    });
  });

  it.each([
    `wal/${TOPIC}/0/0000000001/000000000002`,
    `meta/${TOPIC}/0/index`,
    'controller/state',
    `data/${TOPIC}/0/1-2`,
    `data/short/0/1-2-3-n`,
    `data/${TOPIC}/0/1-2-3-n/more`,
  ])('that are none tell nothing: %s', (key) => {
    expect(describeEmbeddedKey(key)).toBeUndefined();
  });
});
