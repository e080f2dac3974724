import { describe, expect, it } from 'vitest';
import type { Offset } from '../vocabulary.ts';
import type { LogOffset } from '../wire/evidence-calls.ts';
import { type EpochStart, walkDown } from './epoch-starts.ts';

/** Answers as Apache Kafka does of a log with these epochs and this end. */
const kafkaLog =
  (epochs: readonly EpochStart[], end: number) =>
  async (asked: number): Promise<LogOffset | undefined> => {
    await Promise.resolve();
    const answer = (leaderEpoch: number, offset: number): LogOffset => ({ leaderEpoch, offset: offset as Offset });
    const newest = epochs.at(-1);
    if (newest === undefined || asked > newest.epoch) return undefined;
    if (asked === newest.epoch) return answer(asked, end);
    const above = epochs.find(({ epoch }) => epoch > asked);
    const floor = epochs.findLast(({ epoch }) => epoch <= asked);
    return above === undefined ? undefined : answer(floor?.epoch ?? asked, above.offset);
  };

describe('the starts of epochs', () => {
  it.each([
    ['one epoch from the beginning', [{ epoch: 0, offset: 0 }], 0],
    [
      'epochs with gaps between their numbers',
      [
        { epoch: 0, offset: 0 },
        { epoch: 3, offset: 15 },
        { epoch: 7, offset: 40 },
      ],
      7,
    ],
    [
      'a log whose first epoch is not 0',
      [
        { epoch: 4, offset: 0 },
        { epoch: 5, offset: 9 },
      ],
      5,
    ],
    [
      'a log whose beginning was deleted',
      [
        { epoch: 4, offset: 100 },
        { epoch: 5, offset: 120 },
      ],
      5,
    ],
  ] as const)('are found in %s', async (_, epochs, newest) => {
    expect(await walkDown(newest, kafkaLog(epochs, 200))).toEqual(epochs);
  });

  it('name the epoch of a leader that has written nothing yet, where the one below is known', async () => {
    const starts = await walkDown(
      2,
      kafkaLog(
        [
          { epoch: 0, offset: 0 },
          { epoch: 1, offset: 5 },
        ],
        30,
      ),
    );
    expect(starts).toEqual([
      { epoch: 0, offset: 0 },
      { epoch: 1, offset: 5 },
      { epoch: 2, offset: 30 },
    ]);
  });

  it('are those the log knows where several leaders wrote nothing', async () => {
    const starts = await walkDown(
      9,
      kafkaLog(
        [
          { epoch: 2, offset: 0 },
          { epoch: 5, offset: 11 },
        ],
        30,
      ),
    );
    expect(starts).toEqual([
      { epoch: 2, offset: 0 },
      { epoch: 5, offset: 11 },
      { epoch: 6, offset: 30 },
    ]);
  });

  it('are none where the log knows nothing of the newest epoch', async () => {
    expect(await walkDown(500, kafkaLog([], 0))).toEqual([]);
  });
});
