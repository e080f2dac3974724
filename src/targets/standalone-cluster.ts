// The embedded cluster by itself, for trying things by hand: it lives as long as the process that started it, and a note in the
// state directory lets another terminal find and end it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../directories.ts';
import { stateDirectory } from '../environment.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import { freshHex } from '../random.ts';
import { findProcess, identityOfChild, signalProcess } from './process-table.ts';
import { startTarget } from './registry.ts';
import type { Address, ProcessIdentity, StartedTarget } from './target.ts';
import { type TargetSpec, targetSpecSchema } from './target-spec.ts';
import { done, notYet, waitFor } from './wait-for.ts';
import { assertDefects } from './wanted-defects.ts';

export interface StandaloneOptions {
  readonly brokers: number;
  readonly defects: readonly string[];
  readonly signal: AbortSignal;
  /** Where notes, logs and the cluster's files go; default below the state directory. */
  readonly directory?: string;
  /** Told of the cluster before any of its processes is started. */
  readonly onPlace?: (id: string, directory: string) => Promise<void>;
}

export interface StandaloneCluster extends AsyncDisposable {
  readonly id: string;
  readonly bootstrap: readonly Address[];
  /** What a person needs to use it, in lines. */
  readonly summary: string;
}

/** The note: who started the cluster, and whom it started. */
interface Note {
  readonly owner: ProcessIdentity;
  readonly nodes: readonly ProcessIdentity[];
}

const NOTE = 'cluster.json';
const STOP_DEADLINE_MS = 10_000;

const clustersDirectory = (): string => join(stateDirectory(), 'clusters');

const format = ({ host, port }: Address): string => `${host}:${port}`;

const specOf = (brokers: number): TargetSpec => {
  const parsed = targetSpecSchema.safeParse({ apiVersion: 'ackproof/v1', kind: 'embedded', brokers });
  if (parsed.success) return parsed.data;
  throw new UsageError('BROKERS_UNUSABLE', 'The number of brokers is a whole number from 1 to 9.');
};

const summaryOf = (target: StartedTarget, directory: string): string => {
  const bucket = target.can.objectStore?.bucket ?? '';
  const store = target.can.links?.all.find((link) => link.path === 's3-data')?.upstream;
  const rules = target.can.storeProxy?.all[0]?.admin;
  const defects = target.description.fingerprint['defects'] ?? 'none';
  return [
    `bootstrap:  ${target.bootstrap.map(format).join(',')}`,
    `direct:     ${target.evidenceBootstrap.map(format).join(',')}   (past the proxies)`,
    ...(target.can.links?.all ?? [])
      .filter((link, index, all) => all.findIndex((other) => other.path === link.path) === index)
      .map((link) => `${`${link.path}:`.padEnd(11)} http://${format(link.admin)}/proxies`),
    ...(rules === undefined ? [] : [`rules:      http://${format(rules)}/rules   (S3 fault proxy)`]),
    ...(store === undefined
      ? []
      : [`objects:    http://${format(store)}/${bucket}   (S3, path style, any credentials)`]),
    `defects:    ${defects}`,
    `logs:       ${join(directory, 'logs')}`,
  ].join('\n');
};

const writeNote = async (directory: string, target: StartedTarget | undefined): Promise<void> => {
  const { processes } = target?.can ?? {};
  const identities = await Promise.all((processes?.nodes ?? []).map(async (node) => await processes?.identity(node)));
  const nodes = identities.filter((identity) => identity !== undefined);
  const note: Note = { owner: identityOfChild(process.pid), nodes };
  writeFileSync(join(directory, NOTE), `${JSON.stringify(note)}\n`);
};

/** Starts a cluster of the default settings; disposing it ends it and removes its files. */
export const startCluster = async (options: StandaloneOptions): Promise<StandaloneCluster> => {
  const id = `cluster-${freshHex(6)}`;
  const directory = join(options.directory ?? clustersDirectory(), id);
  const spec = specOf(options.brokers);
  assertDefects(options.defects, spec);
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    makeDirectory(directory);
    await writeNote(directory, undefined);
  } catch (cause) {
    remove();
    throw new EnvironmentError('CLUSTER_DIRECTORY', `Nothing can be written in ${directory}.`, {
      cause,
      hint: 'Free some space and see that one may write there, or set XDG_STATE_HOME to another place.',
    });
  }
  try {
    await options.onPlace?.(id, directory);
    const { defects, signal } = options;
    const target = await startTarget(spec, { runId: id, runDirectory: directory, defects, signal });
    await writeNote(directory, target);
    return {
      id,
      bootstrap: target.bootstrap,
      summary: summaryOf(target, directory),
      [Symbol.asyncDispose]: async () => {
        await target[Symbol.asyncDispose]();
        remove();
      },
    };
  } catch (thrown) {
    remove();
    throw thrown;
  }
};

const readNote = (directory: string): Note | undefined => {
  try {
    return JSON.parse(readFileSync(join(directory, NOTE), 'utf8')) as Note;
  } catch {
    return undefined;
  }
};

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

/** Asks the owner to end its cluster; what the owner left behind, paused processes say, is ended here. */
const stopOne = async (directory: string): Promise<void> => {
  const { owner, nodes = [] } = readNote(directory) ?? {};
  if (owner !== undefined && signalProcess(owner, 'SIGTERM')) {
    await waitFor({ awaited: `process ${owner.pid} to end its cluster`, deadlineMs: STOP_DEADLINE_MS }, () =>
      findProcess(owner) === undefined ? done(undefined) : notYet('it is still there'),
    );
  }
  for (const node of nodes) signalProcess(node, 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
};

/** Ends every cluster that was started by itself, in whatever terminal; returns their ids. */
export const stopClusters = async (directory: string = clustersDirectory()): Promise<readonly string[]> => {
  const names = namesIn(directory);
  for (const name of names) await stopOne(join(directory, name));
  return names;
};
