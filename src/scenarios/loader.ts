// Reads scenario and target files and reports every problem of both at once, with its place. Reads files only: nothing here
// starts, connects or resolves a name.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AckproofError, InputError, ManyProblems, suggestName } from '../errors.ts';
import { TARGET_REGISTRY } from '../targets/registry.ts';
import { type TargetSpec, targetSpecSchema } from '../targets/target-spec.ts';
import type { Scenario } from './scenario.ts';
import { scenarioProblems } from './scenario-checks.ts';
import { type ScenarioDocument, scenarioSchema } from './scenario-schema.ts';
import { parseDocumentWith, sortByPlace } from './schema-problems.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';

export interface LoadOptions {
  /** A target file or kind in place of the scenario's own. */
  readonly target?: string;
  readonly seed?: number;
}

export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly target: TargetSpec;
  readonly file: string;
  /** The scenario file as it was read. */
  readonly text: string;
  /** SHA-256 of the scenario file, hexadecimal. */
  readonly digest: string;
}

export interface CheckedFile {
  readonly file: string;
  readonly kind: 'scenario' | 'target';
  readonly problems: readonly AckproofError[];
}

const readText = (file: string, what: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new AckproofError('FILE_UNREADABLE', 'environment', `The ${what} cannot be read (${reason}).`, {
      place: { file },
      hint: 'Check the path and its permissions.',
      cause,
    });
  }
};

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
  throw new InputError('TARGET_UNKNOWN', `There is no target "${name}".`, {
    hint: `Name a target file, or a kind. ${suggestName(
      name,
      TARGET_REGISTRY.map((target) => target.kind),
    )}`,
  });
};

const loadTarget = (name: string, fromFile: string): TargetSpec => {
  const found = describeTarget(name, fromFile);
  if ('spec' in found) return found.spec;
  const parsed = parseDocumentWith(
    readYaml(found.file, readText(found.file, 'target file')),
    targetSpecSchema,
    'TARGET',
  );
  if ('problems' in parsed) throw new ManyProblems(parsed.problems);
  return parsed.value;
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

const problemsOf = (thrown: unknown, document: YamlDocument): readonly AckproofError[] => {
  if (thrown instanceof ManyProblems) return thrown.problems;
  if (!(thrown instanceof AckproofError)) throw thrown;
  if (thrown.place !== undefined) return [thrown];
  const details = { place: document.placeOf(['target']), ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
  return [new AckproofError(thrown.code, thrown.kind, thrown.message, details)];
};

/** The parsed document, its target and every problem of both. */
const inspect = (file: string, text: string, options: LoadOptions): LoadedScenario | readonly AckproofError[] => {
  const document = readYaml(file, text);
  const parsed = parseDocumentWith(document, scenarioSchema, 'SCENARIO');
  if ('problems' in parsed) return parsed.problems;
  let target: TargetSpec;
  try {
    target = loadTarget(options.target ?? parsed.value.target, options.target === undefined ? file : resolve('x'));
  } catch (thrown) {
    return problemsOf(thrown, document);
  }
  const scenario = resolved(parsed.value, target, options);
  const problems = scenarioProblems(scenario, target).map(
    ({ code, message, path }) => new InputError(code, message, { place: document.placeOf(path) }),
  );
  if (problems.length > 0) return sortByPlace(problems);
  return { scenario, target, file, text, digest: createHash('sha256').update(text).digest('hex') };
};

/** Loads one scenario. Throws ManyProblems (exit 65), or AckproofError of kind `environment` for a file that is not there. */
export const loadScenario = (file: string, options: LoadOptions = {}): LoadedScenario => {
  const found = inspect(file, readText(file, 'scenario file'), options);
  if ('scenario' in found) return found;
  throw new ManyProblems(found);
};

/** Loads several scenarios, or throws the problems of all of them together. */
export const loadScenarios = (files: readonly string[], options: LoadOptions = {}): readonly LoadedScenario[] => {
  const found = files.map((file) => inspect(file, readText(file, 'scenario file'), options));
  const problems = found.flatMap((one) => ('scenario' in one ? [] : one));
  if (problems.length > 0) throw new ManyProblems(problems);
  return found.flatMap((one) => ('scenario' in one ? [one] : []));
};

const kindOf = (document: YamlDocument): 'scenario' | 'target' => {
  const data = document.data as Readonly<Record<string, unknown>> | null | undefined;
  return typeof data === 'object' && data !== null && 'kind' in data && !('claim' in data) ? 'target' : 'scenario';
};

/** Checks scenario and target files; a file's kind is read from its keys. */
export const validateFiles = (files: readonly string[], options: LoadOptions = {}): readonly CheckedFile[] =>
  files.map((file) => {
    const text = readText(file, 'file');
    const document = readYaml(file, text);
    const kind = kindOf(document);
    if (kind === 'scenario') {
      const found = inspect(file, text, options);
      return { file, kind, problems: 'scenario' in found ? [] : found };
    }
    const parsed = parseDocumentWith(document, targetSpecSchema, 'TARGET');
    return { file, kind, problems: 'problems' in parsed ? parsed.problems : [] };
  });
