import { describe, expect, it } from 'vitest';
import { embeddedIndexed } from './embedded-index.ts';

const TOPIC = 'AAAAAAAAAAAAAAAAAAAAAA';
const signal = AbortSignal.timeout(10_000);
const named = (base: number): string => `data/${TOPIC}/0/${base}-${base + 10}-1-n`;

const storeOf = (objects: Readonly<Record<string, unknown>>) => ({
  list: async (prefix: string) =>
    await Promise.resolve(
      Object.keys(objects)
        .filter((key) => key.startsWith(prefix))
        .map((key) => ({ key, bytes: 1 })),
    ),
  get: async (key: string) => await Promise.resolve(new TextEncoder().encode(JSON.stringify(objects[key]))),
});

describe('the index of the embedded cluster', () => {
  it('names the data objects of every partition, and nothing else is read for one', async () => {
    const store = storeOf({
      [`meta/${TOPIC}/0/index`]: { version: 1, segments: [{ key: named(0) }, { key: named(10) }] },
      [`meta/${TOPIC}/1/index`]: { version: 1, segments: [] },
      [`meta/${TOPIC}/0/epoch`]: { segments: [{ key: named(90) }] },
      'meta/cluster': { segments: [{ key: named(90) }] },
    });
    expect(await embeddedIndexed(store, signal)).toEqual([
      { key: named(0), topicId: TOPIC, partition: 0, baseOffset: 0, endOffset: 10 },
      { key: named(10), topicId: TOPIC, partition: 0, baseOffset: 10, endOffset: 20 },
    ]);
  });

  it('of another form is no index, and never one that names nothing', async () => {
    await expect(embeddedIndexed(storeOf({ [`meta/${TOPIC}/0/index`]: { version: 2 } }), signal)).rejects.toMatchObject(
      {
        code: 'TARGET_BAD_INDEX',
      },
    );
  });
});
