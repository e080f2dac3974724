import { describe, expect, it } from 'vitest';
import type { TimelineLine } from '../ledger/history-lines.ts';
import type { Attempt } from './attempts.ts';
import { boundariesOf, ungatedOf, unprovenOf } from './boundaries.ts';
import { type BoundarySources, boundarySources } from './boundary-sources.ts';
import type { PartReport } from './model.ts';

const part: PartReport = {
  part: 'main',
  topic: 'x-orders',
  partitions: 1,
  inconclusiveBecause: [],
  findings: [],
  bounds: [],
  availability: [],
  phases: [],
  faults: [],
  outages: [],
  leaders: [],
  changes: [],
  passes: [],
};

const note = (source: string, text: string, data?: Readonly<Record<string, unknown>>): TimelineLine => ({
  t: 'note',
  at: 1,
  source,
  text,
  ...(data === undefined ? {} : { data }),
});
const recovered = (log: string, from: number, to: number): TimelineLine =>
  note('broker/3', `INFO recovered ${log}: offsets ${from} to ${to} from 7 slots of the write-ahead log`);

const request = (more: Partial<Attempt>): Attempt => ({
  producer: 'p1',
  topic: 'x-orders',
  partition: 0,
  count: 5,
  sentAt: 1,
  outcome: 'ok',
  ...more,
});

/** What each boundary holds that was observed or looked for. */
const evidence = (sources?: BoundarySources): readonly (string | undefined)[] =>
  boundariesOf({ parts: [part] }, sources).map((boundary) => {
    const held = boundary.sources.filter(({ state }) => state === 'observed' || state === 'not observed');
    return held.length === 0 ? undefined : held.map(({ source, detail }) => `${source}: ${detail}`).join('; ');
  });

describe('the evidence by boundary', () => {
  it('claims nothing where the run holds nothing', () => {
    expect(evidence()).toEqual(Array.from({ length: 6 }));
    expect(boundariesOf({ parts: [part] }).every(({ state }) => state === 'not collected')).toBe(true);
    expect(
      boundariesOf({ parts: [] }).every(({ state, sources }) => state === 'not collected' && sources.length === 0),
    ).toBe(true);
  });

  it('of the write path are the answers, by offset and by error code', () => {
    const load = [
      request({ offset: 3 }),
      request({ offset: 8 }),
      request({}),
      request({ outcome: 'unknown', code: 7 }),
      request({ outcome: 'unknown', code: 7 }),
      request({ outcome: 'fail', code: 777 }),
    ];
    const [, write] = evidence(boundarySources([], { load, probes: [] }, 'x-orders'));
    expect(write).toBe('produce answers: 2 requests acknowledged with an offset; REQUEST_TIMED_OUT × 2, code 777 × 1');
    expect(evidence(boundarySources([], { load: [request({ offset: 1 })], probes: [] }, 'x-orders'))[1]).toBe(
      'produce answers: 1 request acknowledged with an offset; no error code',
    );
  });

  it('of the write-ahead log is what brokers recovered of the part’s own topic', () => {
    const lines = [recovered('x-orders/0', 10, 14), recovered('x-orders/1', 0, 3), recovered('x-orders2/0', 0, 99)];
    expect(evidence(boundarySources(lines, undefined, 'x-orders'))[2]).toBe(
      'broker logs: 7 records recovered from it in 2 takeovers',
    );
  });

  it('says that a recovery was not observed where brokers told of other things only', () => {
    const sources = boundarySources([note('broker/1', 'INFO leads'), note('isr', 'x')], undefined, 'x-orders');
    expect(evidence(sources)[2]).toBe('broker logs: a recovery from it was not observed');
  });

  it('of both stores is what the last listing held', () => {
    const totals = { dataObjects: 40, dataBytes: 2048, walObjects: 1, walBytes: 512 };
    const lines = [note('object-store', 'first', { dataObjects: 1, dataBytes: 1 }), note('object-store', 'x', totals)];
    const [, , wal, objects] = evidence(boundarySources(lines, undefined, 'x-orders'));
    expect(wal).toBe('listing: 1 object of it, 512 B, after the replay');
    expect(objects).toBe('listing: 40 data objects, 2.0 KiB, after the replay');
    expect(evidence(boundarySources([note('object-store', 'could not be listed')], undefined, 'x-orders'))[3]).toBe(
      undefined,
    );
  });

  it('of ownership is the gate, in the state that fits what it found', () => {
    const gate = { because: 'why', partitions: 1, epochs: 2, overruled: 0, examples: [] };
    const stateWith = (state: 'pass' | 'fail' | 'inconclusive'): string | undefined =>
      boundariesOf({ parts: [{ ...part, ownership: { ...gate, state } }] })[4]?.sources.find(
        ({ detail }) => detail === 'why',
      )?.state;
    expect(['pass', 'fail', 'inconclusive'].map((state) => stateWith(state as 'pass'))).toEqual([
      'not observed',
      'observed',
      'not collected',
    ]);
  });

  it('of a gate that did not pass is left open', () => {
    const gate = { because: 'why', partitions: 1, epochs: 2, overruled: 0, examples: [] };
    const open = (state: 'pass' | 'fail' | 'inconclusive'): readonly string[] =>
      ungatedOf({ parts: [{ ...part, ownership: { ...gate, state } }] });
    expect(open('pass')).toEqual([]);
    expect(open('fail')).toEqual(['The ownership gate failed: why.']);
    expect(open('inconclusive')).toEqual(['The ownership gate is inconclusive: why.']);
    expect(ungatedOf({ parts: [part] })).toEqual([]);
  });

  it('that is missing is left open, by the boundary and why', () => {
    const source = { source: 'x', detail: 'y' };
    const at = (boundary: string, state: 'observed' | 'not provided' | 'not collected') => ({
      boundary,
      question: '?',
      state,
      sources: [{ ...source, state }],
    });
    expect(unprovenOf([at('A', 'observed'), at('B', 'not provided'), at('C', 'not collected')])).toEqual([
      'Nothing is shown at the boundary "B": this target has no source of it.',
      'Nothing is shown at the boundary "C": none was collected.',
    ]);
  });
});
