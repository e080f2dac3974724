// Answers to OffsetForLeaderEpoch.
import { describe, expect, it } from 'vitest';
import { beginEpoch, endOfEpoch } from './epoch-history.ts';

const HISTORY = [
  { epoch: 1, startOffset: 0 },
  { epoch: 4, startOffset: 50 },
  { epoch: 6, startOffset: 80 },
];

describe('endOfEpoch', () => {
  it('ends an epoch where the next one starts, and the last one at the end of the log', () => {
    expect(endOfEpoch(HISTORY, 1, 100)).toEqual({ epoch: 1, endOffset: 50 });
    expect(endOfEpoch(HISTORY, 4, 100)).toEqual({ epoch: 4, endOffset: 80 });
    expect(endOfEpoch(HISTORY, 6, 100)).toEqual({ epoch: 6, endOffset: 100 });
  });

  it('answers for an epoch that wrote nothing with the one before it', () => {
    expect(endOfEpoch(HISTORY, 5, 100)).toEqual({ epoch: 4, endOffset: 80 });
  });

  it('has no epoch below the first, and no answer above the last', () => {
    expect(endOfEpoch(HISTORY, 0, 100)).toEqual({ epoch: -1, endOffset: 0 });
    expect(endOfEpoch(HISTORY, 7, 100)).toBeUndefined();
  });
});

describe('beginEpoch', () => {
  it('drops an epoch that wrote nothing', () => {
    expect(beginEpoch(HISTORY, 9, 80)).toEqual([...HISTORY.slice(0, 2), { epoch: 9, startOffset: 80 }]);
  });
});
