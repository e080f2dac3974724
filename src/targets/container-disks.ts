// The disks of brokers that are containers: what is in their log directories, and, for one that is gone for good, another container
// with an empty volume in the place of the old one. A volume that somebody else has mounted, too, cannot be taken away, so it is
// emptied. A log directory tells by its volume, by its inode and by its meta.properties that it is another.
import { EnvironmentError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import { runBeside } from './container-beside.ts';
import type { ContainerFacts } from './container-facts.ts';
import { laterEndpoints, recipeDifferences } from './container-recipe.ts';
import type { ContainerRoster } from './container-roster.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isConflict } from './docker-failure.ts';
import { logMountOf } from './log-mount.ts';
import type { DirectoryIdentity, NodeDisks, NodeId, StoredState } from './target.ts';

const PARTITION = /^(?!__cluster_metadata-).+-\d+$/u;

/** What else keeps track of a node's container. */
export type ContainerMoved = (node: NodeId, id: string) => void;

/** Prints the log directory's inode, its meta.properties, the partitions and the sizes of their segments. */
const lookScript = (log: string): string => `
cd ${shellQuoted(log)} 2>/dev/null || exit 0
echo "directory $(stat -c %i . 2>/dev/null) $(stat -c %i.%Z meta.properties 2>/dev/null)"
sed -n 's/^/meta /p' meta.properties 2>/dev/null
for each in *-[0-9]*; do [ -d "$each" ] && echo "partition $each"; done
stat -c 'segment %s %n' *-[0-9]*/*.log 2>/dev/null
true`;

/** Empties the volume; of a directory that keeps its name only meta.properties is left, as it was. */
const emptyScript = (volume: string, log: string, identity: DirectoryIdentity): string => `
meta=$(cat ${shellQuoted(`${log}/meta.properties`)} 2>/dev/null)
owner=$(stat -c %u:%g ${shellQuoted(log)} 2>/dev/null)
find ${shellQuoted(volume)} -mindepth 1 -delete
${identity === 'kept' ? keptScript(log) : ''}
find ${shellQuoted(volume)} -mindepth 1 -type f ! -name meta.properties | sed 's/^/left /'`;

const keptScript = (log: string): string => `
mkdir -p ${shellQuoted(log)}
printf '%s\\n' "$meta" > ${shellQuoted(`${log}/meta.properties`)}
chown -R "$owner" ${shellQuoted(log)}`;

interface LookLines {
  readonly directory: string;
  readonly directoryId: string;
  readonly partitions: number;
  readonly bytes: number;
}

/** What a look printed. Files come and go while a broker runs: what was gone has no size. */
export const readLook = (output: string): LookLines => {
  const of = (kind: string): readonly string[] =>
    output.split('\n').flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  const sizes = of('segment').flatMap((line) => {
    const [, bytes = '0', partition = ''] = /^(\d+) ([^/]+)\//u.exec(line) ?? [];
    return PARTITION.test(partition) ? [Number(bytes)] : [];
  });
  return {
    directory: of('directory')[0]?.trim() ?? 'none',
    directoryId: of('meta').flatMap((line) => /^directory\.id=(.+)$/u.exec(line)?.[1] ?? [])[0] ?? 'none',
    partitions: of('partition').filter((name) => PARTITION.test(name)).length,
    bytes: sizes.reduce((sum, each) => sum + each, 0),
  };
};

export class ContainerDisks implements NodeDisks {
  readonly nodes: readonly NodeId[];
  readonly #engine: DockerEngine;
  readonly #roster: ContainerRoster;
  readonly #runId: string;
  readonly #moved: ContainerMoved;

  constructor(engine: DockerEngine, roster: ContainerRoster, runId: string, moved: ContainerMoved) {
    this.nodes = roster.nodes.filter((node) => node.startsWith('broker/'));
    this.#engine = engine;
    this.#roster = roster;
    this.#runId = runId;
    this.#moved = moved;
  }

  async look(node: NodeId): Promise<StoredState> {
    const facts = await this.#engine.inspect(this.#roster.idOf(node));
    const { log, volume } = this.#placeOf(node, facts);
    const { madeAt = '' } = (await this.#engine.volume(volume)) ?? {};
    const found = readLook(await this.#run(facts, lookScript(log)));
    return { ...found, directory: `${volume} of ${madeAt}: ${found.directory}` };
  }

  async replace(node: NodeId, identity: DirectoryIdentity): Promise<void> {
    const old = await this.#engine.inspect(this.#roster.idOf(node));
    if (old.pid !== 0) {
      throw new EnvironmentError('TARGET_NODE_RUNS', `The disk of ${node} cannot be replaced: it has a process.`, {
        hint: 'Stop it first.',
      });
    }
    const recipe = await this.#engine.recipe(old.id);
    const { log, volume, directory } = this.#placeOf(node, old);
    const script = emptyScript(directory, log, identity);
    const left = await runBeside(this.#engine, old, { runId: this.#runId, script });
    if (/^left /mu.test(left)) {
      throw new EnvironmentError('DISK_NOT_EMPTIED', `The volume of ${node} cannot be emptied: ${left.trim()}.`, {
        hint: 'Empty that volume by hand before the broker is started again.',
      });
    }
    await this.#engine.removeContainer(old.id);
    if (identity === 'new') await this.#makeAnew(volume);
    const id = await this.#engine.create(recipe);
    for (const endpoint of laterEndpoints(recipe)) await this.#engine.connect(id, endpoint);
    this.#roster.replace(node, id);
    this.#moved(node, id);
    const differences = recipeDifferences(recipe, await this.#engine.recipe(id));
    if (differences.length === 0) return;
    throw new EnvironmentError(
      'DOCKER_OTHER_CONTAINER',
      `${node} was made anew, and not as it was: ${differences.join('; ')}.`,
      { hint: 'Make it anew as the compose file says: docker compose up -d --force-recreate.' },
    );
  }

  /** Another volume of that name; one that others have mounted stays, empty as it is. */
  async #makeAnew(name: string): Promise<void> {
    const was = await this.#engine.volume(name);
    if (was === undefined) return;
    try {
      await this.#engine.removeVolume(name);
    } catch (thrown) {
      if (isConflict(thrown)) return;
      throw thrown;
    }
    await this.#engine.makeVolume(was);
  }

  /** By the container itself while it runs, else beside it. */
  async #run(facts: ContainerFacts, script: string): Promise<string> {
    if (facts.status !== 'running') return await runBeside(this.#engine, facts, { runId: this.#runId, script });
    return await this.#engine.exec(facts.id, ['/bin/sh', '-c', script]);
  }

  #placeOf(node: NodeId, facts: ContainerFacts) {
    const found = logMountOf(facts);
    const { directory, volume = '' } = found?.mount ?? {};
    if (found !== undefined && directory !== undefined && volume !== '') return { log: found.log, volume, directory };
    const why = found === undefined ? 'KAFKA_LOG_DIRS names not just one directory' : `${found.log} is in no volume`;
    throw new EnvironmentError('TARGET_DISK_UNKNOWN', `The disk of ${node} cannot be taken away: ${why}.`, {
      hint: 'Let each broker keep its log in one directory, on a named volume of its own.',
    });
  }
}
