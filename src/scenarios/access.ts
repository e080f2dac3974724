// The least rights a scenario needs on a cluster whose authorizer refuses what nobody granted: told by `plan` as commands for
// whoever administers it, and looked for by a run before it sends anything, so that a refusal names the operation.
import { EnvironmentError } from '../errors.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { shellWord } from '../shell.ts';
import type { ExternalSpec, SecuritySpec } from '../targets/external-spec.ts';
import type { FaultName } from '../vocabulary.ts';
import { ACCESS_HINT, type ClusterEye, type ClusterOperation, type TopicOperation } from './cluster-eye.ts';
import type { Scenario } from './scenario.ts';

/** With these words begins every name that a run gives to what it makes. */
const OURS = 'ackproof-';
/** Topics that a fault writes into to show that it acts. */
const CANARIES = '__ackproof-canary-';

type CanaryOperation = TopicOperation | 'Create';

/** One rule of Kafka's authorizer. */
export type Grant =
  | {
      readonly resource: 'topic' | 'group';
      readonly name: string;
      /** Every name that begins so, not only this one. */
      readonly prefixed: boolean;
      readonly operations: readonly CanaryOperation[];
    }
  | { readonly resource: 'cluster'; readonly operations: readonly ClusterOperation[] };

/** What orders to the cluster need. With Describe it tells what else one may; Alter brings it along, AlterConfigs does not. */
const ORDERS: Readonly<Partial<Record<FaultName, readonly ClusterOperation[]>>> = {
  'broker-degrade': ['AlterConfigs', 'Describe'],
  'leader-election': ['Alter'],
  'partition-reassignment': ['Alter'],
};

const canaryOperations = ({ fault, params }: FaultSpec): readonly CanaryOperation[] => {
  switch (fault) {
    case 'request-loss':
    case 'response-loss':
      return ['Create', 'Delete', 'Read', 'Write'];
    case 'leader-election':
      return ['Create', 'Delete', 'Write'];
    case 'broker-degrade':
      // Only a limit of size is felt by a record.
      return 'message.max.bytes' in (params['settings'] as object) ? ['Create', 'Delete', 'Write'] : [];
    default:
      return [];
  }
};

const union = <O extends string>(lists: readonly (readonly O[])[]): readonly O[] => [...new Set(lists.flat())].sort();

const clusterOperationsOf = ({ faults }: Pick<Scenario, 'faults'>): readonly ClusterOperation[] =>
  union(faults.map(({ fault }) => ORDERS[fault] ?? []));

const canaryOperationsOf = ({ faults }: Pick<Scenario, 'faults'>): readonly CanaryOperation[] =>
  union(faults.map(canaryOperations));

const topicGrant = ({ workload }: Pick<Scenario, 'workload'>) => {
  const { name, existing = false } = workload.topic;
  // Write and Read bring Describe with them.
  const using = ['DescribeConfigs', 'Read', 'Write'] as const;
  if (existing) return { resource: 'topic', name, prefixed: false, operations: using } as const;
  return { resource: 'topic', name: OURS, prefixed: true, operations: ['Create', 'Delete', ...using] } as const;
};

/** A fault that a program performs asks the cluster for nothing. */
export const withoutPrograms = <S extends Pick<Scenario, 'faults'>>(
  scenario: S,
  programs: Readonly<Record<string, unknown>>,
): S => ({ ...scenario, faults: scenario.faults.filter(({ fault }) => programs[fault] === undefined) });

/** Everything that a run of the scenario asks a cluster for. */
export const grantsOf = (scenario: Pick<Scenario, 'workload' | 'faults'>): readonly Grant[] => {
  const [orders, canary] = [clusterOperationsOf(scenario), canaryOperationsOf(scenario)];
  return [
    topicGrant(scenario),
    // kafkajs reads in groups only, and what our own client misses is read by it again.
    { resource: 'group', name: OURS, prefixed: true, operations: ['Read'] },
    ...(canary.length > 0 ? [{ resource: 'topic', name: CANARIES, prefixed: true, operations: canary } as const] : []),
    // The quorum of controllers and the disks of brokers are watched by Describe; without it they are told as not permitted.
    { resource: 'cluster', operations: union([['Describe'], orders]) },
  ];
};

const loginPrincipal = ({ username }: NonNullable<SecuritySpec['sasl']>): string => {
  if (typeof username === 'string') return shellWord(`User:${username}`);
  return 'env' in username ? `"User:$${username.env}"` : `"User:$(cat ${shellWord(username.file)})"`;
};

/** Who the run is to the cluster, as a word of a shell command. */
const principalOf = (security: SecuritySpec | undefined): string => {
  if (security?.sasl !== undefined) return loginPrincipal(security.sasl);
  return security?.tls?.certificate === undefined ? 'User:ANONYMOUS' : '"User:$SUBJECT"';
};

const wordsOf = (grant: Grant): readonly string[] => {
  if (grant.resource === 'cluster') return ['--cluster'];
  const named = `--${grant.resource} ${shellWord(grant.name)}`;
  return grant.prefixed ? [named, '--resource-pattern-type prefixed'] : [named];
};

/** Commands for an administrator; `SUBJECT` stands for the name in the client's certificate, as the brokers write it. */
export const grantCommands = (grants: readonly Grant[], target: ExternalSpec): readonly string[] => {
  const who = principalOf(target.security);
  return grants.map((grant) =>
    [
      `kafka-acls.sh --bootstrap-server ${target.bootstrapServers[0] ?? ''} --add --allow-principal ${who}`,
      ...grant.operations.map((operation) => `--operation ${operation}`),
      ...wordsOf(grant),
    ].join(' '),
  );
};

const refuse = (what: string): EnvironmentError =>
  new EnvironmentError('ACCESS_REFUSED', `The cluster does not let this run ${what}.`, { hint: ACCESS_HINT });

/** It is there already. */
const isOnTopic = (operation: CanaryOperation): operation is TopicOperation => operation !== 'Create';

type AccessEye = Pick<ClusterEye, 'clusterOperations' | 'mayCreateTopic' | 'mayUseGroup' | 'topicOperations'>;

/** Throws (exit 69) for the first thing that the authorizer would refuse later. The topic is there already. */
export const assertAccess = async (
  eye: AccessEye,
  topic: string,
  scenario: Pick<Scenario, 'workload' | 'replay' | 'faults'>,
): Promise<void> => {
  const allowed = await eye.topicOperations(topic);
  const operations: readonly CanaryOperation[] = topicGrant(scenario).operations;
  const needed = operations.filter(isOnTopic);
  const refused = allowed === undefined ? [] : needed.filter((operation) => !allowed.has(operation));
  if (refused.length > 0) throw refuse(`${refused.join(', ')} on topic ${topic}`);
  const { client } = scenario.replay;
  if (client !== 'wire' && !(await eye.mayUseGroup(`${OURS}access`))) throw refuse(`Read on groups ${OURS}…`);
  await assertOrders(eye, scenario);
};

/** The same for what its faults do by Kafka's own protocol. */
const assertOrders = async (eye: AccessEye, scenario: Pick<Scenario, 'faults'>): Promise<void> => {
  const orders = clusterOperationsOf(scenario);
  if (orders.length > 0) {
    const allowed = await eye.clusterOperations();
    const refused = allowed === undefined ? [] : orders.filter((operation) => !allowed.has(operation));
    if (refused.length > 0) throw refuse(`${refused.join(', ')} on the cluster`);
  }
  if (!canaryOperationsOf(scenario).includes('Create')) return;
  if (!(await eye.mayCreateTopic(`${CANARIES}access`))) throw refuse(`Create topics ${CANARIES}…`);
};
