// What a person wants to see beside a finding: what stands around it, and which fault was near when it was acknowledged.
import type { FaultLine } from './history-lines.ts';
import type { Finding } from './judgement.ts';
import type { PartitionView } from './partition-view.ts';
import type { Placed, ReadRun } from './run-facts.ts';
import { stretch } from './sentences.ts';

const NEIGHBOURS = 5;

const what = (read: ReadRun, offset: number): string => {
  if (read.sentinel) return 'the sentinel';
  if (read.control) return 'a control record';
  if (read.id === undefined) return 'a foreign record';
  const seq = read.id.seq + offset - read.offset;
  return `${read.id.producer}/${read.id.incarnation} record ${seq}${read.bad ? ', damaged' : ''}`;
};

/** Up to five records on either side of `offset` in the first pass that came there. */
const neighboursOf = (view: PartitionView, offset: number): { offset: number; what: string }[] => {
  const pass = view.passes.find(({ ranges }) =>
    ranges.some(({ from, position }) => from <= offset && offset <= position),
  );
  const near: { offset: number; what: string }[] = [];
  for (const read of pass?.reads ?? []) {
    const from = Math.max(read.offset, offset - NEIGHBOURS);
    const to = Math.min(read.offset + read.count - 1, offset + NEIGHBOURS);
    for (let at = from; at <= to; at++) near.push({ offset: at, what: what(read, at) });
  }
  return near.sort((one, other) => one.offset - other.offset).slice(0, 2 * NEIGHBOURS + 1);
};

interface Window {
  readonly id: string;
  readonly fault: string;
  readonly from: number;
  readonly to: number;
}

/** From `applied` to `healed` of each fault. */
const faultWindows = (faults: readonly Placed<FaultLine>[]): Window[] => {
  const windows = new Map<string, { id: string; fault: string; from: number; to: number }>();
  for (const { id, fault, edge, at } of faults) {
    const window = windows.get(id);
    if (edge === 'applied' && window === undefined)
      windows.set(id, { id, fault, from: at, to: Number.POSITIVE_INFINITY });
    if (edge === 'healed' && window !== undefined) window.to = Math.min(window.to, at);
  }
  return [...windows.values()];
};

const nearFault = (windows: readonly Window[], at: number): { duringFaults: string[]; when: string } | undefined => {
  const inside = windows.filter(({ from, to }) => from <= at && at <= to);
  const [first] = inside;
  if (first !== undefined) {
    return { duringFaults: inside.map(({ id }) => id), when: `${stretch(at - first.from)} into ${first.fault}` };
  }
  const following = windows.filter(({ from }) => from > at).sort((one, other) => one.from - other.from)[0];
  if (following !== undefined) {
    return { duringFaults: [following.id], when: `${stretch(following.from - at)} before ${following.fault}` };
  }
  const preceding = windows.filter(({ to }) => to < at).sort((one, other) => other.to - one.to)[0];
  return preceding === undefined
    ? undefined
    : { duringFaults: [], when: `${stretch(at - preceding.to)} after ${preceding.fault} was healed` };
};

/** Adds neighbours and the nearest fault to a partition's findings. */
export const withEvidence = (view: PartitionView, findings: readonly Finding[]): Finding[] => {
  const windows = faultWindows(view.faults);
  return findings.map((finding) => {
    const [example] = finding.examples;
    const neighbours = example?.offset === undefined ? [] : neighboursOf(view, example.offset);
    const near = example?.ackedAt === undefined ? undefined : nearFault(windows, example.ackedAt);
    return { ...finding, ...(neighbours.length === 0 ? {} : { neighbours }), ...near };
  });
};
