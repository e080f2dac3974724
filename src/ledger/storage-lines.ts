// What a run saw of the object store with credentials of its own: lines of the timeline from which the gates on storage are judged
// and the report counts. A text history has none of them. Keys are those of the store; bytes and counts are whole numbers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EVIDENCE_STATES, STORAGE_ITEMS } from '../vocabulary.ts';
import { TIMELINE_FILE } from './timeline-writer.ts';

const count = z.int().nonnegative();
const listOf = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const at = z.number();
/** Keys are shown, never all of them. */
const examples = listOf(z.string());

/** What the record names of the storage under test; told once, when the part begins. */
const storageSchema = z.object({
  t: z.literal('storage'),
  at,
  facts: listOf(z.object({ item: z.enum(STORAGE_ITEMS), state: z.enum(EVIDENCE_STATES), detail: z.string() })),
});

/** One listing of all that is looked at. */
const inventorySchema = z.object({
  t: z.literal('inventory'),
  at,
  when: z.enum(['before', 'during', 'after']),
  prefixes: listOf(
    z.object({ prefix: z.string(), holds: z.enum(['data', 'wal', 'other']), objects: count, bytes: count }),
  ),
  /** False where there was more than is listed. */
  whole: z.boolean(),
  /** Acknowledged and in no data object yet, as the brokers tell it; absent where none tells. */
  backlogBytes: count.exactOptional(),
});

/** The objects of the part's topic, held against the index that the target keeps of them. */
const indexSchema = z.object({
  t: z.literal('index'),
  at,
  /** Named by the index. */
  objects: count,
  /** Named by it and not there, by a listing and by a read. */
  missing: z.object({ objects: count, keys: examples }),
  /** There, and named neither before nor after they were listed. */
  orphans: z.object({ objects: count, bytes: count, keys: examples }),
});

/** A part of one object, read by the harness itself. */
const rangeReadSchema = z.object({
  t: z.literal('range-read'),
  at,
  key: z.string(),
  first: count,
  last: count,
  /** `as-named`: the bytes asked for came, and begin with what the object's name says, where names say anything. */
  result: z.enum(['as-named', 'other', 'failed']),
  detail: z.string(),
});

/** Requests that the store itself counted, by path, operation and status. */
const requestsSchema = z.object({
  t: z.literal('requests'),
  at,
  stage: z.enum(['load', 'replay']),
  rows: listOf(
    z.object({
      /** `harness`: made by ackproof itself, and no cost of the cluster's. */
      path: z.enum(['data', 'wal', 'harness']),
      operation: z.string(),
      status: count,
      requests: count,
      requestBytes: count,
      responseBytes: count,
    }),
  ),
});

/** What brokers read of the store while a cold pass went on. */
const coldReadsSchema = z.object({
  t: z.literal('cold-reads'),
  at,
  /** GETs of data objects of the topic that brokers made, answered whole. */
  reads: count,
  /** Those of them that asked for a part of an object. */
  rangedReads: count,
  bytes: count,
  /** Offsets of the pass which those reads hold, and the others. */
  coveredOffsets: count,
  uncoveredOffsets: count,
  /** Those that only the brokers' own disks hold, as the target tells: they are in no object yet, and among neither. */
  localOffsets: count.exactOptional(),
});

/** Something of the above that could not be had, and why. */
const gapSchema = z.object({
  t: z.literal('storage-gap'),
  at,
  what: z.enum(['inventory', 'index', 'range-read', 'requests', 'cold-reads']),
  state: z.enum(['not collected', 'not provided']),
  because: z.string(),
});

const lineSchema = z.discriminatedUnion('t', [
  storageSchema,
  inventorySchema,
  indexSchema,
  rangeReadSchema,
  requestsSchema,
  coldReadsSchema,
  gapSchema,
]);

export type StorageLine = z.infer<typeof lineSchema>;
export type StorageFact = z.infer<typeof storageSchema>['facts'][number];
export type InventoryLine = z.infer<typeof inventorySchema>;
export type RequestsLine = z.infer<typeof requestsSchema>;
export type RequestRow = RequestsLine['rows'][number];
export type StorageGap = z.infer<typeof gapSchema>;

/** Lines of one kind, in the order in which they were written. */
export const linesOf = <K extends StorageLine['t']>(
  lines: readonly StorageLine[],
  kind: K,
): readonly Extract<StorageLine, { t: K }>[] =>
  lines.filter((line): line is Extract<StorageLine, { t: K }> => line.t === kind);

/** Most lines of a timeline are others, and there may be very many. */
const LOOKS_LIKE_ONE = /"t":"(?:storage|storage-gap|inventory|index|range-read|requests|cold-reads)"/;

const storageLine = (text: string): readonly StorageLine[] => {
  if (!LOOKS_LIKE_ONE.test(text)) return [];
  try {
    const { data } = lineSchema.safeParse(JSON.parse(text));
    return data === undefined ? [] : [data];
  } catch {
    return [];
  }
};

/** The storage lines of a run directory's timeline; what is malformed, and what is none, is left out: then it proves nothing. */
export const readStorageLines = (directory: string): readonly StorageLine[] => {
  let text: string;
  try {
    text = readFileSync(join(directory, TIMELINE_FILE), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(storageLine);
};
