// Whether those who were chosen when a fault was prepared are still whom the scenario means, asked afresh right before it acts. What
// it does to somebody else, however well it is confirmed, is not what was asked for.
import { describeError } from '../errors.ts';
import type { FaultContext, PreparedFault, VictimKind, VictimSelector } from './fault.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';
import { askQuorumLeader } from './probes/quorum.ts';

/** Of a partition, as far as it is known. */
export interface Leadership {
  /** −1 for nobody; undefined where nobody knows. */
  readonly leader: number | undefined;
  readonly inSync: readonly number[];
}

/** What each way of choosing went by: what may be another by the moment of the fault, or names, numbers and the seed, which stay. */
const CHOSEN_BY: Readonly<Record<VictimKind, 'partition' | 'quorum' | 'what-stays'>> = {
  leaderOf: 'partition',
  followerOf: 'partition',
  followersOf: 'partition',
  controller: 'quorum',
  controllers: 'quorum',
  'controllers-minority': 'quorum',
  broker: 'what-stays',
  node: 'what-stays',
  'brokers-minority': 'what-stays',
  'brokers-majority': 'what-stays',
  random: 'what-stays',
  all: 'what-stays',
  'object-store': 'what-stays',
  volume: 'what-stays',
};

type Chosen = Pick<PreparedFault, 'victims' | 'brokers'>;
type PartitionSelector = Extract<VictimSelector, { readonly partition: number }>;

const listed = (ids: readonly number[]): string => `broker ${[...ids].join(', ')}`;

const newcomers = ({ leader, inSync }: Leadership, brokers: readonly number[]): readonly number[] =>
  inSync.filter((id) => id !== leader && !brokers.includes(id));

/**
 * Why brokers are not any more whom a selector means, in words: leadership has moved since, or who follows. Undefined where they are,
 * and where nobody knows who leads.
 */
export const whyNotMeant = (
  { kind, partition }: PartitionSelector,
  brokers: readonly number[],
  now: Leadership,
): string | undefined => {
  const { leader, inSync } = now;
  if (leader === undefined || brokers.length === 0) return undefined;
  const isLeaderMeant = kind === 'leaderOf';
  if (leader < 0) return `nobody leads partition ${partition} now`;
  if (brokers.includes(leader) !== isLeaderMeant) {
    const chosen = `${listed(brokers)} was chosen as ${isLeaderMeant ? 'its leader' : 'its followers'}`;
    return `partition ${partition} is led by broker ${leader} now, and ${chosen}`;
  }
  const spared = kind === 'followersOf' ? newcomers(now, brokers) : [];
  if (spared.length > 0) return `${listed(spared)} follows partition ${partition} in sync now, and would be spared`;
  const isOut = kind === 'followerOf' && inSync.length > 0 && !brokers.every((id) => inSync.includes(id));
  return isOut ? `${listed(brokers)} is no follower in sync of partition ${partition} any more` : undefined;
};

const leadershipNow = async (
  context: FaultContext,
  { topic, partition }: PartitionSelector,
  signal: AbortSignal,
): Promise<Leadership> => {
  const { target } = context;
  const name = context.topicName(topic);
  const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const found = view.partitions.find((each) => each.topic === name && each.partition === partition);
  return { leader: found?.leader, inSync: found?.inSync ?? [] };
};

const whyNotLeading = async (
  { target: { controllers = [] } }: FaultContext,
  { victims }: Chosen,
  signal: AbortSignal,
): Promise<string | undefined> => {
  // Where there is only one, nobody else could lead.
  if (controllers.length === 0) return undefined;
  const id = await askQuorumLeader(controllers, signal);
  const leading = controllers.find((each) => each.id === id);
  if (leading !== undefined && victims.includes(leading.node)) return undefined;
  return `${leading?.node ?? 'nobody'} leads the quorum of controllers now, and ${victims.join(', ')} was chosen`;
};

/** Asks the cluster. Says why they are not, in words, also where nobody can say; undefined where they are. */
export const whyNoLongerChosen = async (
  context: FaultContext,
  selector: VictimSelector,
  chosen: Chosen,
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    if (CHOSEN_BY[selector.kind] === 'quorum') return await whyNotLeading(context, chosen, signal);
    if (!('partition' in selector)) return undefined;
    return whyNotMeant(selector, chosen.brokers, await leadershipNow(context, selector, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    return `nobody says whether ${chosen.victims.join(', ')} is still meant: ${describeError(thrown)}`;
  }
};
