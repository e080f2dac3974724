// Orders to a cluster taken back by Kafka's own protocol, from data alone: replicas where they were, settings as they were, canary
// topics away. Each is looked at first and afterwards; what is as it should be already is left alone.

import { systemClock } from '../clock.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import type { SecurityReference } from '../targets/target.ts';
import type { BrokerId } from '../vocabulary.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { changeSettings, describeSettings } from '../wire/config-changes.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { deadlineAfter } from '../wire/deadline.ts';
import { UNKNOWN_TOPIC_OR_PARTITION } from '../wire/error-codes.ts';
import { fetchMetadata } from '../wire/evidence-calls.ts';
import { WireError } from '../wire/protocol.ts';
import { reassignPartitions } from '../wire/reassignment.ts';
import { deleteTopic } from '../wire/topic-calls.ts';
import type { ClusterReference, OrderStep, UndoStep } from './fault.ts';
import { type HeldReplicas, holdsAny, lookAtReplicas } from './held-replicas.ts';
import type { StillThere } from './proxy-left.ts';

/** What is needed to connect: the secrets behind their names. */
interface SecretReach {
  security(reference: SecurityReference | undefined): ConnectionSecurity | undefined;
}

/** Each question of a heal, which has seconds and not minutes. */
const CALL_DEADLINE_MS = 3000;
/** How long an order is watched until it shows; moving data may take longer, and goes on by itself. */
const SHOWS_WITHIN_MS = 3000;
const POLL_MS = 100;

const ORDERS: readonly string[] = ['restore-replicas', 'restore-settings', 'delete-topic'] satisfies OrderStep['do'][];

export const isOrder = (step: UndoStep): step is OrderStep => ORDERS.includes(step.do);

type Step<D extends OrderStep['do']> = Extract<OrderStep, { readonly do: D }>;

/** Another cluster at the same addresses has its own replicas and settings, and none of what was changed. */
const assertSameCluster = async (client: ClusterClient, { clusterId, bootstrap }: ClusterReference): Promise<void> => {
  if (clusterId === undefined) return;
  const now = (await client.metadata([], deadlineAfter(CALL_DEADLINE_MS))).clusterId;
  if (now === null || now === clusterId) return;
  const where = bootstrap.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw new EnvironmentError(
    'CLUSTER_CHANGED',
    `The cluster at ${where} is ${now}, and what has to be put back was done to ${clusterId}.`,
    { hint: 'Let these addresses lead to that cluster again, then run the heal again.' },
  );
};

const withClient = async <T>(
  cluster: ClusterReference,
  reach: SecretReach,
  work: (client: ClusterClient) => Promise<T>,
): Promise<T> => {
  const { bootstrap, security } = cluster;
  const client = new ClusterClient({ bootstrap, clientId: 'ackproof-heal', security: reach.security(security) });
  try {
    await assertSameCluster(client, cluster);
    return await work(client);
  } finally {
    client.close();
  }
};

const limit = (signal?: AbortSignal) => ({
  deadlineMs: CALL_DEADLINE_MS,
  ...(signal === undefined ? {} : { signal }),
});

const isSame = (one: readonly number[], other: readonly number[]): boolean => one.join() === other.join();

/** Where it is, or is on its way to, what the step wants. */
const isRestored = ({ replicas, keep }: Step<'restore-replicas'>, held: HeldReplicas): boolean =>
  !held.isMoving &&
  (held.replicas === undefined || isSame(held.replicas, replicas) || isSame(held.replicas, keep ?? []));

/** While data moves, the replicas to come stand first. */
const isOnItsWay = ({ keep }: Step<'restore-replicas'>, { replicas, isMoving }: HeldReplicas): boolean =>
  isMoving && keep !== undefined && isSame((replicas ?? []).slice(0, keep.length), keep);

const restoreReplicas = async (
  client: ClusterClient,
  step: Step<'restore-replicas'>,
  signal: AbortSignal,
): Promise<void> => {
  const held = await lookAtReplicas(client, step, limit(signal));
  if (isRestored(step, held)) return;
  const { topic, partition } = step;
  if (!isOnItsWay(step, held)) {
    const replicas = step.replicas as readonly BrokerId[];
    await reassignPartitions(client, [{ topic, partition, replicas }], limit(signal));
  }
  await untilShown(async () => isRestored(step, await lookAtReplicas(client, step, limit(signal))), signal);
};

/** The settings of a step that are not as they were. */
const changedSettings = async (
  client: ClusterClient,
  { broker, settings }: Step<'restore-settings'>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, string | null>>> => {
  const resource = { type: 'broker', name: String(broker) } as const;
  const found = await describeSettings(client, resource, Object.keys(settings), limit(signal));
  const ownNow = (name: string): string | null => {
    const setting = found.get(name);
    return setting?.isOwn === true ? setting.value : null;
  };
  return Object.fromEntries(Object.entries(settings).filter(([name, was]) => ownNow(name) !== was));
};

const restoreSettings = async (
  client: ClusterClient,
  step: Step<'restore-settings'>,
  signal: AbortSignal,
): Promise<void> => {
  const changed = await changedSettings(client, step, signal);
  if (Object.keys(changed).length === 0) return;
  await changeSettings(client, { type: 'broker', name: String(step.broker) }, changed, limit(signal));
  const areRestored = async (): Promise<boolean> =>
    Object.keys(await changedSettings(client, step, signal)).length === 0;
  await untilShown(areRestored, signal);
};

const isThere = async (
  client: ClusterClient,
  { topic }: Step<'delete-topic'>,
  signal?: AbortSignal,
): Promise<boolean> => {
  const { topics } = await fetchMetadata(client, [topic], limit(signal));
  return topics.some(({ name, errorCode }) => name === topic && errorCode !== UNKNOWN_TOPIC_OR_PARTITION);
};

const removeTopic = async (client: ClusterClient, step: Step<'delete-topic'>, signal: AbortSignal): Promise<void> => {
  // Whoever is asked may not have heard yet of one that was made just now; the controller has.
  await deleteTopic(client, step.topic, limit(signal)).catch((thrown: unknown) => {
    if (!(thrown instanceof WireError) || thrown.kafkaCode !== UNKNOWN_TOPIC_OR_PARTITION) throw thrown;
  });
  await untilShown(async () => !(await isThere(client, step, signal)), signal);
};

/** Looks until it shows, or for as long as a heal may take; what shows later is no error here. */
const untilShown = async (look: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
  const until = systemClock.now() + SHOWS_WITHIN_MS;
  while (!(await look()) && systemClock.now() < until) await systemClock.sleep(POLL_MS, signal);
};

/** Takes one order back. @throws WireError or EnvironmentError where the cluster or a secret cannot be had. */
export const performOrder = async (step: OrderStep, reach: SecretReach, signal: AbortSignal): Promise<void> =>
  await withClient(step.cluster, reach, async (client) => {
    switch (step.do) {
      case 'restore-replicas':
        await restoreReplicas(client, step, signal);
        return;
      case 'restore-settings':
        await restoreSettings(client, step, signal);
        return;
      case 'delete-topic':
        await removeTopic(client, step, signal);
        return;
    }
  });

/** Waits until no partition is held by a broker any more, for as long as `signal` lets it. @throws the signal's reason. */
export const awaitHoldsNone = async (
  { cluster, broker }: { readonly cluster: ClusterReference; readonly broker: number },
  reach: SecretReach,
  signal: AbortSignal,
): Promise<void> =>
  await withClient(cluster, reach, async (client) => {
    while (await holdsAny(client, broker, limit(signal))) await systemClock.sleep(POLL_MS, signal);
  });

export const describeOrder = (step: OrderStep): string => {
  if (step.do === 'restore-replicas') return `restore-replicas ${step.topic}/${step.partition}`;
  return step.do === 'restore-settings' ? `restore-settings broker/${step.broker}` : `delete-topic ${step.topic}`;
};

const bootstrapText = ({ bootstrap }: ClusterReference): string =>
  bootstrap.map(({ host, port }) => `${host}:${port}`).join(',');

/** The command of Kafka's own tools that does the same. */
const byHand = (step: OrderStep): string => {
  const server = `--bootstrap-server ${bootstrapText(step.cluster)}`;
  if (step.do === 'delete-topic') return `kafka-topics.sh ${server} --delete --topic ${step.topic}`;
  if (step.do === 'restore-replicas') {
    const { topic, partition, replicas } = step;
    const plan = JSON.stringify({ version: 1, partitions: [{ topic, partition, replicas }] });
    return `echo '${plan}' > plan.json && kafka-reassign-partitions.sh ${server} --execute --reassignment-json-file plan.json`;
  }
  const entity = `kafka-configs.sh ${server} --alter --entity-type brokers --entity-name ${step.broker}`;
  return Object.entries(step.settings)
    .map(([name, was]) =>
      was === null ? `${entity} --delete-config ${name}` : `${entity} --add-config ${name}=${was}`,
    )
    .join(' && ');
};

const whatIsLeft = async (client: ClusterClient, step: OrderStep): Promise<string | undefined> => {
  switch (step.do) {
    case 'restore-replicas': {
      const held = await lookAtReplicas(client, step, limit());
      if (isRestored(step, held)) return undefined;
      const state = held.isMoving ? 'is still moving among' : 'is held by';
      return `${step.topic}/${step.partition} ${state} brokers ${held.replicas?.join(', ') ?? 'unknown'}`;
    }
    case 'restore-settings': {
      const changed = Object.keys(await changedSettings(client, step));
      return changed.length === 0 ? undefined : `broker ${step.broker} still has another ${changed.join(', ')}`;
    }
    case 'delete-topic':
      return (await isThere(client, step)) ? `topic ${step.topic} is still there` : undefined;
  }
};

/** Looks at what an order changed; nothing when it is as it was. Never rejects. */
export const orderLeft = async (step: OrderStep, reach: SecretReach): Promise<StillThere[]> => {
  try {
    const what = await withClient(step.cluster, reach, async (client) => await whatIsLeft(client, step));
    return what === undefined ? [] : [{ what, byHand: byHand(step) }];
  } catch (thrown) {
    return [{ what: `${describeOrder(step)}: ${describeError(thrown)}`, byHand: byHand(step) }];
  }
};
