// A look at somebody else's cluster for a plan: who is there now, and whom each fault would hit if it began now. Reads only, and what
// keeps it from looking is told like the rest.
import { AckproofError, describeError, type ErrorKind } from '../errors.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { resolveVictims } from '../faults/victim.ts';
import { randomStream } from '../random.ts';
import { startTarget } from '../targets/registry.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { LoadedScenario } from './loader.ts';

const LOOK_MS = 30_000;

export type ClusterLook =
  | {
      readonly clusterId?: string;
      /** `1 at kafka-1:9092`, with the proxy before it where there is one. */
      readonly brokers: readonly string[];
      /** Whom a fault would hit; absent for those that chance or a topic of the run's own decides. */
      readonly victims: readonly { readonly fault: string; readonly now: string }[];
    }
  | { readonly trouble: string; readonly kind: ErrorKind };

/** What is made by the run, or drawn by its seed, nobody can look at before. */
const isDecidedLater = ({ victim }: FaultSpec, isExisting: boolean): boolean =>
  victim.kind === 'random' || victim.kind === 'followerOf' || ('partition' in victim && !isExisting);

const victimNow = async (target: StartedTarget, { fault, victim }: FaultSpec, signal: AbortSignal) => {
  const context = { target, random: randomStream(0, fault), runId: 'plan', topicName: (alias: string) => alias };
  try {
    return { fault, now: (await resolveVictims(context, victim, signal)).chosen };
  } catch (thrown) {
    return { fault, now: describeError(thrown) };
  }
};

const look = async ({ scenario, target: spec, targetFolder }: LoadedScenario): Promise<ClusterLook> => {
  const signal = AbortSignal.timeout(LOOK_MS);
  const folder = targetFolder === undefined ? {} : { specFolder: targetFolder };
  await using target = await startTarget(spec, { runId: 'plan', runDirectory: '.', defects: [], signal, ...folder });
  const { topic } = scenario.workload;
  const victims = [];
  for (const fault of scenario.faults) {
    if (!isDecidedLater(fault, topic.existing === true)) victims.push(await victimNow(target, fault, signal));
  }
  const proxyOf = (node: string): string => {
    const link = target.can.links?.all.find((each) => each.node === node);
    return link === undefined ? '' : ` by the proxy ${link.proxy}`;
  };
  const clusterId = target.can.administration?.clusterId;
  return {
    ...(clusterId === undefined ? {} : { clusterId }),
    brokers: target.brokers.map(
      ({ id, node, advertised }) => `${id} at ${advertised.host}:${advertised.port}${proxyOf(node)}`,
    ),
    victims,
  };
};

/** Looks at a cluster that runs whatever happens; undefined for one that only a run would start. Never rejects. */
export const lookAtCluster = async (loaded: LoadedScenario): Promise<ClusterLook | undefined> => {
  if (loaded.target.kind !== 'external') return undefined;
  return await look(loaded).catch((thrown: unknown) => ({
    trouble: describeError(thrown),
    kind: thrown instanceof AckproofError ? thrown.kind : 'environment',
  }));
};

/** For people, one line each. */
export const renderLook = (found: ClusterLook): string => {
  if ('trouble' in found) return `cluster:      not seen: ${found.trouble}`;
  return [
    `cluster:      ${found.clusterId ?? 'without an id'}, ${found.brokers.length} brokers: ${found.brokers.join(', ')}`,
    ...found.victims.map(({ fault, now }) => `victim now:   ${fault}: ${now}`),
  ].join('\n');
};
