// What of a scenario can be used although not all can: each value with a mistake is taken out, or replaced by one that is right
// where the schema needs one, so that everything else can be checked at once. The result is for checking only and never run.

import type { InputError } from '../errors.ts';
import { isWithin } from './scenario-checks.ts';
import { type ScenarioDocument, scenarioSchema } from './scenario-schema.ts';
import { type Mistake, parseDocumentWith } from './schema-problems.ts';
import type { YamlDocument, YamlPath } from './yaml-document.ts';

export interface InspectedDocument {
  /** Every mistake that the schema knows of. */
  readonly problems: readonly InputError[];
  /** Absent where too little is right. */
  readonly document?: ScenarioDocument;
  /** What in `document` is not what was written. */
  readonly unusable: readonly YamlPath[];
}

/** Stands in for whatever cannot be used, where something has to stand. */
const STAND_IN: Readonly<Record<string, unknown>> = {
  apiVersion: 'ackproof/v1',
  name: 'stand-in',
  claim: 'This stands where the claim of a scenario cannot be used.',
  target: 'embedded',
  workload: { topic: { name: 'stand-in', partitions: 1 }, duration: '1s' },
};
const STAND_IN_FAULT = { fault: 'all-brokers-kill', at: '0s', duration: '1s', allow: ['full-outage'] };

/** Mistakes that hide others are few; a file that needs more rounds is looked at again when these are mended. */
const MOST_ROUNDS = 4;

type Branch = Record<string | number, unknown>;

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

const childOf = (value: unknown, step: string | number): unknown =>
  isBranch(value) && Object.hasOwn(value, step) ? value[step] : undefined;

/** A list is used whole or not at all; of the faults each is used by itself. */
const unusablePath = (path: YamlPath): YamlPath => {
  if (path[0] === 'faults') return path.slice(0, 2);
  const index = path.findIndex((step) => typeof step === 'number');
  return index < 0 ? path : path.slice(0, index);
};

const standInFor = (path: YamlPath): unknown =>
  path[0] === 'faults' && path.length === 2 ? STAND_IN_FAULT : path.reduce<unknown>(childOf, STAND_IN);

const takeOut = (data: unknown, path: YamlPath): void => {
  const last = path.at(-1);
  const parent = path.slice(0, -1).reduce<unknown>(childOf, data);
  if (last === undefined || !isBranch(parent)) return;
  const standIn = standInFor(path);
  if (standIn === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = structuredClone(standIn);
};

const unusableOf = ({ path, meant }: Mistake): readonly YamlPath[] =>
  meant === undefined ? [unusablePath(path)] : [unusablePath(path), unusablePath([...path.slice(0, -1), meant])];

/** Parses a scenario as far as it goes, and says everything that is wrong with it. */
export const inspectDocument = (document: YamlDocument): InspectedDocument => {
  const problems: InputError[] = [];
  const unusable: YamlPath[] = [];
  let data = document.data;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const parsed = parseDocumentWith({ ...document, data }, scenarioSchema, 'SCENARIO');
    if ('value' in parsed) return { problems, document: parsed.value, unusable };
    if (parsed.mistakes.length === 0) return { problems: parsed.problems, unusable };
    problems.push(...parsed.mistakes.filter(({ path }) => !isWithin(path, unusable)).map(({ problem }) => problem));
    unusable.push(...parsed.mistakes.flatMap(unusableOf));
    data = structuredClone(data);
    for (const path of unusable) takeOut(data, path);
  }
  return { problems, unusable };
};
