// The least rights a scenario needs on a cluster whose authorizer refuses what nobody granted: told by `plan` as commands for
// whoever administers it, and looked for by a run before it sends anything, so that a refusal names the operation.
import { EnvironmentError } from '../errors.ts';
import type { ExternalSpec, SecuritySpec } from '../targets/target-spec.ts';
import { ACCESS_HINT, type ClusterEye, type TopicOperation } from './cluster-eye.ts';
import type { Scenario } from './scenario.ts';

/** With these words begins every name that a run gives to what it makes. */
const OURS = 'ackproof-';
/** Topics that a fault writes into to show that it acts. */
const CANARIES = '__ackproof-canary-';
const WITH_CANARY_TOPIC: ReadonlySet<string> = new Set(['request-loss', 'response-loss']);

/** One rule of Kafka's authorizer. */
export interface Grant {
  readonly resource: 'cluster' | 'group' | 'topic';
  /** Of the cluster, of which there is one, nothing. */
  readonly name: string;
  /** Every name that begins so, not only this one. */
  readonly prefixed: boolean;
  readonly operations: readonly (TopicOperation | 'Create')[];
}

const topicGrant = ({ workload }: Pick<Scenario, 'workload'>): Grant => {
  const { name, existing = false } = workload.topic;
  // Write and Read bring Describe with them.
  if (existing) return { resource: 'topic', name, prefixed: false, operations: ['DescribeConfigs', 'Read', 'Write'] };
  const operations = ['Create', 'Delete', 'DescribeConfigs', 'Read', 'Write'] as const;
  return { resource: 'topic', name: OURS, prefixed: true, operations };
};

/** Everything that a run of the scenario asks a cluster for. */
export const grantsOf = (scenario: Pick<Scenario, 'workload' | 'faults'>): readonly Grant[] => {
  const hasCanary = scenario.faults.some(({ fault }) => WITH_CANARY_TOPIC.has(fault));
  return [
    topicGrant(scenario),
    // kafkajs reads in groups only, and what our own client misses is read by it again.
    { resource: 'group', name: OURS, prefixed: true, operations: ['Read'] },
    // The quorum of controllers and the disks of brokers are watched by it; without it they are told as not permitted.
    { resource: 'cluster', name: '', prefixed: false, operations: ['Describe'] },
    ...(hasCanary
      ? [
          {
            resource: 'topic',
            name: CANARIES,
            prefixed: true,
            operations: ['Create', 'Delete', 'Read', 'Write'],
          } as const,
        ]
      : []),
  ];
};

/** A word as a shell takes it, whatever is in it. */
const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const loginPrincipal = ({ username }: NonNullable<SecuritySpec['sasl']>): string => {
  if (typeof username === 'string') return word(`User:${username}`);
  return 'env' in username ? `"User:$${username.env}"` : `"User:$(cat ${word(username.file)})"`;
};

/** Who the run is to the cluster, as a word of a shell command. */
const principalOf = (security: SecuritySpec | undefined): string => {
  if (security?.sasl !== undefined) return loginPrincipal(security.sasl);
  return security?.tls?.certificate === undefined ? 'User:ANONYMOUS' : '"User:$SUBJECT"';
};

/** Commands for an administrator; `SUBJECT` stands for the name in the client's certificate, as the brokers write it. */
export const grantCommands = (grants: readonly Grant[], target: ExternalSpec): readonly string[] => {
  const who = principalOf(target.security);
  return grants.map(({ resource, name, prefixed, operations }) =>
    [
      `kafka-acls.sh --bootstrap-server ${target.bootstrapServers[0] ?? ''} --add --allow-principal ${who}`,
      ...operations.map((operation) => `--operation ${operation}`),
      resource === 'cluster' ? '--cluster' : `--${resource} ${word(name)}`,
      ...(prefixed ? ['--resource-pattern-type prefixed'] : []),
    ].join(' '),
  );
};

const refuse = (what: string): EnvironmentError =>
  new EnvironmentError('ACCESS_REFUSED', `The cluster does not let this run ${what}.`, { hint: ACCESS_HINT });

/** Throws (exit 69) for the first thing that the authorizer would refuse later. The topic is there already. */
export const assertAccess = async (
  eye: Pick<ClusterEye, 'topicOperations' | 'mayUseGroup'>,
  topic: string,
  scenario: Pick<Scenario, 'workload' | 'replay'>,
): Promise<void> => {
  const allowed = await eye.topicOperations(topic);
  const needed = topicGrant(scenario).operations.filter((operation) => operation !== 'Create');
  const refused = allowed === undefined ? [] : needed.filter((operation) => !allowed.has(operation));
  if (refused.length > 0) throw refuse(`${refused.join(', ')} on topic ${topic}`);
  const { client } = scenario.replay;
  if (client !== 'wire' && !(await eye.mayUseGroup(`${OURS}access`))) throw refuse(`Read on groups ${OURS}…`);
};
