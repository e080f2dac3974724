// The gates on storage, cost and cold replay, judged from what the run saw of the store. Each is a list of cells with one of the four
// states of evidence, and stands beside the verdict: lost records are found by the checkers, while a gate says what of the storage
// was looked at. Proved by `fail`: objects that the target's own index names were gone, by a listing and by a read. Proved by `pass`:
// that everything asked for was seen, at those moments; not that nothing was amiss between them. A cell that could not be had never
// makes a gate pass. Objects that are not listed yet are no loss: what is acknowledged may be in the write-ahead log.
import { type EvidenceState, STORAGE_ITEMS, type StorageGateName, type StorageItem } from '../vocabulary.ts';
import { grouped } from './sentences.ts';
import { type InventoryLine, linesOf, type RequestRow, type StorageGap, type StorageLine } from './storage-lines.ts';

export interface GateCell {
  readonly item: string;
  readonly state: EvidenceState;
  readonly detail: string;
}

export interface StorageGate {
  readonly gate: StorageGateName;
  readonly state: 'pass' | 'fail' | 'inconclusive';
  readonly because: string;
  readonly cells: readonly GateCell[];
}

/** What else the judge knows of the run. */
export interface GateSurroundings {
  /** Files of the run are damaged or were changed: nothing in them makes a gate pass. */
  readonly isDamaged: boolean;
  /** A fault deleted objects for good, so that some are missing by its doing. */
  readonly deletedOnPurpose: boolean;
}

const cell = (item: string, state: EvidenceState, detail: string): GateCell => ({ item, state, detail });

const objectsText = (objects: number): string => `${grouped(objects)} ${objects === 1 ? 'object' : 'objects'}`;
const bytesText = (bytes: number): string => `${grouped(bytes)} bytes`;

/** What the storage gate looks at itself, besides what is named to it. */
export const LOOKED_AT = {
  inventory: 'inventory before, during and after',
  index: 'objects that the index names and that are missing',
  range: 'range read of a sampled object',
} as const;

const ITEM_NAMES: Readonly<Record<StorageItem, string>> = {
  wal: 'write-ahead log',
  service: 'object service',
  identity: 'identity used',
  encryption: 'encryption',
  route: 'route',
  'shared-fate': 'failures they share',
};

const gapCell = (
  lines: readonly StorageLine[],
  what: StorageGap['what'],
  item: string,
  otherwise: string,
): GateCell => {
  const gap = linesOf(lines, 'storage-gap').findLast((line) => line.what === what);
  return gap === undefined ? cell(item, 'not collected', otherwise) : cell(item, gap.state, gap.because);
};

const namedCells = (lines: readonly StorageLine[]): readonly GateCell[] => {
  const facts = linesOf(lines, 'storage').flatMap((line) => line.facts);
  return STORAGE_ITEMS.map((item) => {
    const fact = facts.find((each) => each.item === item);
    return fact === undefined
      ? cell(ITEM_NAMES[item], 'not collected', 'nobody told it')
      : cell(ITEM_NAMES[item], fact.state, fact.detail);
  });
};

const amountOf = ({ prefixes }: InventoryLine): { readonly objects: number; readonly bytes: number } => ({
  objects: prefixes.reduce((sum, { objects }) => sum + objects, 0),
  bytes: prefixes.reduce((sum, { bytes }) => sum + bytes, 0),
});

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${grouped(Math.abs(value))}`;

/** The most that was acknowledged and in no data object at one look, and what was left in the end; empty where no broker tells it. */
const backlogText = (listings: readonly InventoryLine[]): string => {
  const told = listings.flatMap(({ backlogBytes }) => backlogBytes ?? []);
  const left = told.at(-1);
  return left === undefined ? '' : `; backlog ${bytesText(Math.max(...told))} at most, ${bytesText(left)} at the end`;
};

/** Before, during and after; one that lacks an end shows no growth. */
const inventoryCell = (lines: readonly StorageLine[]): GateCell => {
  const item = LOOKED_AT.inventory;
  const listings = linesOf(lines, 'inventory');
  const first = listings.find(({ when }) => when === 'before');
  const last = listings.findLast(({ when }) => when === 'after');
  if (first === undefined || last === undefined) {
    return gapCell(lines, 'inventory', item, `no listing ${first === undefined ? 'before' : 'after'} the part`);
  }
  const [began, ended] = [amountOf(first), amountOf(last)];
  const during = listings.filter(({ when }) => when === 'during').length;
  const grew = `${signed(ended.objects - began.objects)} objects, ${signed(ended.bytes - began.bytes)} bytes`;
  const between = `${during} ${during === 1 ? 'look' : 'looks'} between`;
  const kept = `${objectsText(ended.objects)} of ${bytesText(ended.bytes)} after the replay`;
  const whole = `${kept}, ${grew}; ${between}${backlogText(listings)}`;
  if (listings.some((line) => !line.whole))
    return cell(item, 'not collected', `${whole}; there is more than is listed`);
  return cell(item, 'observed', whole);
};

const indexCell = (lines: readonly StorageLine[]): GateCell => {
  const item = LOOKED_AT.index;
  const line = linesOf(lines, 'index').at(-1);
  if (line === undefined) return gapCell(lines, 'index', item, 'the index was not held against the store');
  const { objects, missing, orphans } = line;
  const left = `${objectsText(orphans.objects)} of ${bytesText(orphans.bytes)} are named by nothing`;
  const named = `${objectsText(objects)} named by the index; ${left}`;
  if (objects === 0) return cell(item, 'not collected', 'the index names no object, so that none can be missing');
  if (missing.objects === 0) return cell(item, 'not observed', named);
  return cell(item, 'observed', `${objectsText(missing.objects)} missing, first ${missing.keys[0] ?? ''}; ${named}`);
};

const rangeCell = (lines: readonly StorageLine[]): GateCell => {
  const item = LOOKED_AT.range;
  const line = linesOf(lines, 'range-read').at(-1);
  if (line === undefined) return gapCell(lines, 'range-read', item, 'no object was read');
  const { result, detail, key, first, last } = line;
  const detailed = `bytes ${first} to ${last} of ${key}: ${detail}`;
  if (result === 'as-named') return cell(item, 'observed', detailed);
  return cell(item, result === 'failed' ? 'not collected' : 'not observed', detailed);
};

const isLacking = ({ state }: GateCell): boolean => state === 'not collected';

/** Why a gate is no pass, from the first cell that stands in its way. */
const open = (cells: readonly GateCell[], stands: (each: GateCell) => boolean): string | undefined => {
  const [first, ...more] = cells.filter(stands);
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return `${first.item}: ${first.state} (${first.detail})${others}`;
};

const storageGate = (lines: readonly StorageLine[], { deletedOnPurpose }: GateSurroundings): StorageGate => {
  const index = indexCell(lines);
  const range = rangeCell(lines);
  const cells = [...namedCells(lines), inventoryCell(lines), index, range];
  const gate = { gate: 'storage', cells } as const;
  if (index.state === 'observed') {
    return deletedOnPurpose
      ? { ...gate, state: 'inconclusive', because: `a fault deleted objects, so that some are gone: ${index.detail}` }
      : { ...gate, state: 'fail', because: index.detail };
  }
  const because = open(cells, (each) => isLacking(each) || (each === range && each.state === 'not observed'));
  return because === undefined
    ? { ...gate, state: 'pass', because: 'all of it is named, was listed, and is there as far as it was asked for' }
    : { ...gate, state: 'inconclusive', because };
};

const clusterRows = (lines: readonly StorageLine[]): readonly RequestRow[] =>
  linesOf(lines, 'requests')
    .flatMap(({ rows }) => rows)
    .filter(({ path }) => path !== 'harness');

const sum = (rows: readonly RequestRow[], key: 'requests' | 'requestBytes' | 'responseBytes'): number =>
  rows.reduce((all, row) => all + row[key], 0);

const requestCells = (lines: readonly StorageLine[]): readonly GateCell[] => {
  const items = ['requests by operation and status', 'bytes to and from the store', 'reads for recovery'] as const;
  const rows = clusterRows(lines);
  if (rows.length === 0) {
    const why = linesOf(lines, 'requests').length === 0 ? 'nobody counted' : 'the store counted none of the cluster’s';
    return items.map((item) => gapCell(lines, 'requests', item, why));
  }
  const refused = rows.filter(({ status }) => status >= 400);
  const recovered = rows.filter(({ path, operation }) => path === 'wal' && operation === 'GetObject');
  const asked = `${grouped(sum(rows, 'requests'))} requests, ${grouped(sum(refused, 'requests'))} of them with a status ≥ 400`;
  const moved = `${bytesText(sum(rows, 'requestBytes'))} to it, ${bytesText(sum(rows, 'responseBytes'))} from it`;
  const read = `${grouped(sum(recovered, 'requests'))} reads of the write-ahead log, ${bytesText(sum(recovered, 'responseBytes'))}`;
  return [cell(items[0], 'observed', asked), cell(items[1], 'observed', moved), cell(items[2], 'observed', read)];
};

const capacityCell = (lines: readonly StorageLine[]): GateCell => {
  const listed = inventoryCell(lines);
  return { ...listed, item: 'bytes kept' };
};

/** Never a saving: what was counted can be priced by whoever knows the prices. */
const costGate = (lines: readonly StorageLine[]): StorageGate => {
  const zones = cell('bytes between zones', 'not provided', 'nothing here tells in which zone anybody is');
  const cells = [...requestCells(lines), capacityCell(lines), zones];
  const because = open(cells, (each) => each !== zones && each.state !== 'observed');
  return because === undefined
    ? { gate: 'cost', state: 'pass', because: 'what the store was asked and keeps is counted', cells }
    : { gate: 'cost', state: 'inconclusive', because: `a gap in what can be counted: ${because}`, cells };
};

const coldGate = (lines: readonly StorageLine[]): StorageGate => {
  const item = 'reads of the store by brokers during the pass';
  const line = linesOf(lines, 'cold-reads').at(-1);
  if (line === undefined) {
    const cells = [gapCell(lines, 'cold-reads', item, 'no cold pass was read')];
    return { gate: 'cold-replay', state: 'inconclusive', because: open(cells, () => true) ?? '', cells };
  }
  const { reads, rangedReads, bytes, coveredOffsets, uncoveredOffsets, localOffsets = 0 } = line;
  const counted = `${grouped(reads)} reads, ${grouped(rangedReads)} of them of a range, ${bytesText(bytes)}`;
  const local = localOffsets === 0 ? '' : `, ${grouped(localOffsets)} on the brokers’ own disks and in no object yet`;
  const covered = `${grouped(coveredOffsets)} offsets from objects, ${grouped(uncoveredOffsets)} of unknown origin${local}`;
  const cells = [
    cell(item, reads === 0 ? 'not observed' : 'observed', counted),
    cell('offsets that those reads hold', coveredOffsets === 0 ? 'not observed' : 'observed', covered),
  ];
  const isCold = reads > 0 && coveredOffsets > 0 && uncoveredOffsets === 0;
  if (isCold) return { gate: 'cold-replay', state: 'pass', because: `${counted}; ${covered}`, cells };
  const because = reads === 0 ? 'nothing was seen to come from the store' : covered;
  return { gate: 'cold-replay', state: 'inconclusive', because, cells };
};

const damaged = (gate: StorageGate): StorageGate =>
  gate.state === 'pass' ? { ...gate, state: 'inconclusive', because: 'files of the run are damaged' } : gate;

/** Whether a cold pass was read, or could not be. */
const hasColdPass = (lines: readonly StorageLine[]): boolean =>
  lines.some((line) => line.t === 'cold-reads' || (line.t === 'storage-gap' && line.what === 'cold-reads'));

/** None where the run looked at no store; the cold one only where a cold pass was asked for. */
export const storageGatesOf = (
  lines: readonly StorageLine[],
  surroundings: GateSurroundings,
): readonly StorageGate[] => {
  if (lines.length === 0) return [];
  const gates = [storageGate(lines, surroundings), costGate(lines)];
  if (hasColdPass(lines)) gates.push(coldGate(lines));
  return surroundings.isDamaged ? gates.map(damaged) : gates;
};
