// Reads scenario and target files and reports every problem of both at once, with its place. Reads files only: nothing here
// starts, connects or resolves a name.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AckproofError, InputError, ManyProblems, type SourcePlace, suggestName, UsageError } from '../errors.ts';
import { TARGET_REGISTRY } from '../targets/registry.ts';
import { type TargetSpec, targetSpecSchema } from '../targets/target-spec.ts';
import type { Scenario } from './scenario.ts';
import { isWithin, refusedByName, scenarioProblems } from './scenario-checks.ts';
import { MOST_SEED, type ScenarioDocument } from './scenario-schema.ts';
import { parseDocumentWith, sortByPlace } from './schema-problems.ts';
import { readSource } from './source-text.ts';
import { inspectDocument } from './usable-part.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';

export interface LoadOptions {
  /** A target file or kind in place of the scenario's own. */
  readonly target?: string;
  readonly seed?: number;
}

export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly target: TargetSpec;
  /** Where the target file is, absolute; absent for a kind that needs none. */
  readonly targetFolder?: string;
  readonly file: string;
  /** The scenario file as it was read. */
  readonly text: string;
  /** The target that was asked for in place of the scenario's own, as it was written. */
  readonly givenTarget?: string;
  /** SHA-256 of the scenario file, hexadecimal. */
  readonly digest: string;
}

export interface CheckedFile {
  readonly file: string;
  /** `unknown` for one that cannot be read. */
  readonly kind: 'scenario' | 'target' | 'unknown';
  readonly problems: readonly AckproofError[];
}

const describeTarget = (name: string, fromFile: string): { readonly spec: TargetSpec } | { readonly file: string } => {
  const folder = dirname(fromFile);
  const looksLikeFile = name.includes('/') || /\.ya?ml$/.test(name);
  const candidates = looksLikeFile
    ? [resolve(folder, name), resolve(name)]
    : [resolve(folder, 'targets', `${name}.yaml`), resolve(folder, `${name}.yaml`)];
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file !== undefined) return { file };
  const plain = targetSpecSchema.safeParse({ apiVersion: 'ackproof/v1', kind: name }, { jitless: true });
  if (!looksLikeFile && plain.success) return { spec: plain.data };
  throw unknownTarget(name, looksLikeFile);
};

const unknownTarget = (name: string, looksLikeFile: boolean): InputError => {
  const kinds = TARGET_REGISTRY.map((target) => target.kind);
  if (looksLikeFile) {
    return new InputError('TARGET_UNKNOWN', `There is no target file "${name}".`, {
      hint: `It is looked for beside the scenario and from here. Correct the path, or name a kind: ${kinds.join(', ')}.`,
    });
  }
  if (kinds.some((kind) => kind === name)) {
    return new InputError('TARGET_UNKNOWN', `A target of kind "${name}" does not say by itself where it is.`, {
      hint: 'Write a target file, like scenarios/targets/kafka-local.yaml, and name it.',
    });
  }
  return new InputError('TARGET_UNKNOWN', `There is no target "${name}".`, {
    hint: `Name a target file, or a kind. ${suggestName(name, kinds)}`,
  });
};

interface LoadedTarget {
  readonly spec: TargetSpec;
  readonly folder?: string;
}

const loadTarget = (name: string, fromFile: string): LoadedTarget => {
  const found = describeTarget(name, fromFile);
  if ('spec' in found) return found;
  const source = readSource(found.file, 'target file');
  if ('problem' in source) throw source.problem;
  const parsed = parseDocumentWith(readYaml(found.file, source.text), targetSpecSchema, 'TARGET');
  if ('problems' in parsed) throw new ManyProblems(parsed.problems);
  return { spec: parsed.value, folder: dirname(found.file) };
};

const seedOf = (document: ScenarioDocument, options: LoadOptions): { readonly seed?: number } => {
  const seed = options.seed ?? document.seed;
  return seed === undefined ? {} : { seed };
};

const resolved = (document: ScenarioDocument, target: TargetSpec, options: LoadOptions): Scenario => {
  const { contract, workload, replay, bounds } = document;
  const { deliveryTimeout, ...promises } = contract;
  return {
    name: document.name,
    claim: document.claim,
    target: options.target ?? document.target,
    contract: {
      ...promises,
      deliveryTimeoutMs: deliveryTimeout,
      transactions: false,
      uniqueKeys: true,
      profile: target.profile,
    },
    workload: {
      topic: workload.topic,
      producers: workload.producers,
      ratePerSecond: workload.rate,
      client: workload.client,
      retry: workload.retry,
      splitSend: workload.splitSend,
      attemptTimeoutMs: workload.attemptTimeout,
      record: { sizeBytes: workload.record.size, batch: workload.record.batch },
      warmUpMs: workload.warmUp,
      durationMs: workload.duration,
    },
    faults: document.faults,
    replay: { passes: replay.passes, client: replay.client, suspectsAfterMs: replay.suspects.after },
    bounds: {
      ...(bounds.recoverWithin === undefined ? {} : { recoverWithinMs: bounds.recoverWithin }),
      ...(bounds.longestGap === undefined ? {} : { longestGapMs: bounds.longestGap }),
    },
    control: document.control,
    baseline: document.baseline,
    ...seedOf(document, options),
  };
};

const problemsOf = (thrown: unknown, place: SourcePlace): readonly AckproofError[] => {
  if (thrown instanceof ManyProblems) return thrown.problems;
  if (!(thrown instanceof AckproofError)) throw thrown;
  if (thrown.place !== undefined) return [thrown];
  const details = { place, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
  return [new AckproofError(thrown.code, thrown.kind, thrown.message, details)];
};

/** The target, or why there is none. */
const targetOf = (name: string, from: string, place: SourcePlace): LoadedTarget | readonly AckproofError[] => {
  try {
    return loadTarget(name, from);
  } catch (thrown) {
    return problemsOf(thrown, place);
  }
};

/** Where the words of the command line stand, for a complaint about one of them. */
const GIVEN: SourcePlace = { file: '--target' };

/** Stands in for a target that cannot be used, so that the rest can be checked. */
const noTarget = (): LoadedTarget => ({
  spec: targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded' }, { jitless: true }),
});

/** Where the target came from, as far as that is known. */
const originOf = (
  { target }: LoadOptions,
  folder: string | undefined,
): Pick<LoadedScenario, 'givenTarget' | 'targetFolder'> => ({
  ...(target === undefined ? {} : { givenTarget: target }),
  ...(folder === undefined ? {} : { targetFolder: folder }),
});

/** The list of faults as it is written, whatever it holds. */
const faultsIn = ({ data }: YamlDocument): unknown =>
  typeof data === 'object' && data !== null && 'faults' in data ? data.faults : undefined;

/** The parsed document, its target and every problem of both. */
const inspect = (file: string, text: string, options: LoadOptions): LoadedScenario | readonly AckproofError[] => {
  const yaml = readYaml(file, text);
  const { document, problems, unusable } = inspectDocument(yaml);
  if (document === undefined) return sortByPlace(problems);
  const isGiven = options.target !== undefined;
  const from = isGiven ? resolve('x') : file;
  const isKnown = isGiven || !isWithin(['target'], unusable);
  const named = isGiven ? GIVEN : yaml.placeOf(['target']);
  const found = isKnown ? targetOf(options.target ?? document.target, from, named) : [];
  const { spec: target, folder } = 'spec' in found ? found : noTarget();
  const scenario = resolved(document, target, options);
  const doubtful = 'spec' in found ? unusable.filter(([first]) => first !== 'target') : [...unusable, ['target']];
  const refused = refusedByName(faultsIn(yaml), target, doubtful);
  const wrong = [...scenarioProblems(scenario, target, doubtful), ...refused].map(
    ({ code, message, path }) => new InputError(code, message, { place: yaml.placeOf(path) }),
  );
  const all = [...sortByPlace([...problems, ...wrong]), ...('spec' in found ? [] : found)];
  if (all.length > 0) return all;
  const digest = createHash('sha256').update(text).digest('hex');
  return { scenario, target, file, text, digest, ...originOf(options, folder) };
};

const inspectFile = (file: string, options: LoadOptions): LoadedScenario | readonly AckproofError[] => {
  const source = readSource(file, 'scenario file');
  return 'problem' in source ? [source.problem] : inspect(file, source.text, options);
};

/** The same limits as those of a seed in a file. */
const assertSeed = ({ seed }: LoadOptions): void => {
  if (seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed <= MOST_SEED)) return;
  throw new UsageError('SEED_UNUSABLE', `A seed is a whole number from 0 to ${MOST_SEED}.`);
};

/** Loads one scenario. Throws ManyProblems (its kind says whether files are wrong or not there), UsageError for the options. */
export const loadScenario = (file: string, options: LoadOptions = {}): LoadedScenario => {
  assertSeed(options);
  const found = inspectFile(file, options);
  if ('scenario' in found) return found;
  throw new ManyProblems(found);
};

/** Loads several scenarios, or throws the problems of all of them together. */
export const loadScenarios = (files: readonly string[], options: LoadOptions = {}): readonly LoadedScenario[] => {
  assertSeed(options);
  const found = files.map((file) => inspectFile(file, options));
  const problems = found.flatMap((one) => ('scenario' in one ? [] : one));
  // One target may be that of all of them, and its mistakes are told once.
  const told = new Map(problems.map((problem) => [problem.describe(), problem]));
  if (told.size > 0) throw new ManyProblems([...told.values()]);
  return found.flatMap((one) => ('scenario' in one ? [one] : []));
};

const kindOf = (document: YamlDocument): 'scenario' | 'target' => {
  const data = document.data as Readonly<Record<string, unknown>> | null | undefined;
  return typeof data === 'object' && data !== null && 'kind' in data && !('claim' in data) ? 'target' : 'scenario';
};

const checkFile = (file: string, options: LoadOptions): CheckedFile => {
  const source = readSource(file, 'file');
  if ('problem' in source) return { file, kind: 'unknown', problems: [source.problem] };
  const document = readYaml(file, source.text);
  const kind = kindOf(document);
  if (kind === 'scenario') {
    const found = inspect(file, source.text, options);
    return { file, kind, problems: 'scenario' in found ? [] : found };
  }
  const parsed = parseDocumentWith(document, targetSpecSchema, 'TARGET');
  return { file, kind, problems: 'problems' in parsed ? parsed.problems : [] };
};

/** Checks scenario and target files; a file's kind is read from its keys. */
export const validateFiles = (files: readonly string[], options: LoadOptions = {}): readonly CheckedFile[] =>
  files.map((file) => checkFile(file, options));
