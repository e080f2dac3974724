// encode ∘ decode = identity for the bytes and rows of both kinds of file, and a typed error for everything else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, PASS_ENDS } from '../vocabulary.ts';
import { ByteCursor, ByteSink, MalformedRow } from './bytes.ts';
import {
  type LedgerRow,
  readLedgerRow,
  writeClose,
  writeIntent,
  writeLane,
  writeOutcome,
  writeText,
} from './ledger-rows.ts';
import { type RangeRow, type ReadRow, ReplayRowDecoder, ReplayRowEncoder } from './replay-rows.ts';

const count = fc.oneof(fc.nat(300), fc.maxSafeNat());
const integer = fc.oneof(fc.integer(), fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }));
const float = fc.double({ noNaN: true });
const optional = { requiredKeys: [] };

const laneRow = fc.record({
  row: fc.constant('lane' as const),
  lane: count,
  producer: fc.string(),
  incarnation: count,
  topic: fc.string(),
  partition: count,
});
const textRow = fc.record({ row: fc.constant('text' as const), text: count, value: fc.string({ unit: 'grapheme' }) });
const intentRow = fc
  .tuple(
    fc.record({ lane: count, firstSeq: count, count, at: float, order: count }),
    fc.record({ floor: integer }, optional),
  )
  .map(([row, more]) => ({ row: 'intent' as const, ...row, ...more }));
const outcomeRow = fc
  .tuple(
    fc.record({
      lane: count,
      firstSeq: count,
      at: float,
      order: count,
      outcome: fc.constantFrom(...OUTCOMES),
      attempts: count,
      tainted: fc.boolean(),
      notSent: fc.boolean(),
    }),
    fc.record({ baseOffset: integer, code: integer, leaderEpoch: integer, reason: count }, optional),
  )
  .map(([row, more]) => ({ row: 'outcome' as const, ...row, ...more }));
const closeRow = fc.record({
  row: fc.constant('close' as const),
  intents: count,
  outcomes: count,
  sent: count,
  ok: count,
  fail: count,
  unknown: count,
  chain: count,
});

const writeLedgerRow = (sink: ByteSink, row: LedgerRow): void => {
  switch (row.row) {
    case 'lane':
      return writeLane(sink, row);
    case 'text':
      return writeText(sink, row);
    case 'intent':
      return writeIntent(sink, row);
    case 'outcome':
      return writeOutcome(sink, row);
    case 'close':
      return writeClose(sink, row);
  }
};

const id = fc.record({ run: fc.string(), producer: fc.string(), incarnation: count, partition: count, seq: count });
const readRow = fc
  .tuple(
    fc.record({
      topic: fc.string(),
      partition: count,
      offset: integer,
      count,
      bad: fc.boolean(),
      sentinel: fc.boolean(),
      control: fc.boolean(),
    }),
    fc.record({ id, epoch: integer, producerId: integer, producerEpoch: integer }, optional),
  )
  .map(([row, more]): ReadRow => ({ row: 'read', ...row, ...more }));
const rangeRow = fc
  .record({
    topic: fc.string(),
    partition: count,
    from: integer,
    position: integer,
    end: fc.constantFrom(...PASS_ENDS),
  })
  .map((row): RangeRow => ({ row: 'range', ...row }));

const readAll = <R>(bytes: Buffer, next: (cursor: ByteCursor) => R | undefined): R[] => {
  const cursor = new ByteCursor(bytes);
  const rows: R[] = [];
  while (!cursor.done) {
    const row = next(cursor);
    if (row !== undefined) rows.push(row);
  }
  return rows;
};

const onlyMalformed = (read: () => unknown): void => {
  try {
    read();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(MalformedRow);
  }
};

describe('rows', () => {
  it('of a ledger come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(laneRow, textRow, intentRow, outcomeRow, closeRow)), (rows) => {
        const sink = new ByteSink();
        for (const row of rows) writeLedgerRow(sink, row);
        expect(readAll(sink.take(), readLedgerRow)).toEqual(rows);
      }),
    );
  });

  it('of a replay come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(readRow, rangeRow)), (rows) => {
        const sink = new ByteSink();
        const encoder = new ReplayRowEncoder(sink);
        for (const row of rows)
          if (row.row === 'read') encoder.read(row);
          else encoder.range(row);
        const decoder = new ReplayRowDecoder();
        expect(readAll(sink.take(), (cursor) => decoder.next(cursor))).toEqual(rows);
      }),
    );
  });

  it('of arbitrary bytes are rows or a MalformedRow, never another error and never endless', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        onlyMalformed(() => readAll(Buffer.from(bytes), readLedgerRow));
        const decoder = new ReplayRowDecoder();
        onlyMalformed(() => readAll(Buffer.from(bytes), (cursor) => decoder.next(cursor)));
      }),
      { numRuns: 2000 },
    );
  });

  it('refuse an integer beyond what a number holds', () => {
    expect(() => new ByteCursor(Buffer.alloc(9, 0xff)).count()).toThrow(MalformedRow);
    expect(() => new ByteCursor(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])).count()).toThrow(
      MalformedRow,
    );
    expect(() => new ByteCursor(Buffer.alloc(7)).float()).toThrow(MalformedRow);
    expect(() => new ByteCursor(Buffer.from([5, 65])).text()).toThrow(MalformedRow);
  });
});
