// Which brokers the cluster has fenced: registered and shut out, as a broker is that was silent for longer than its session. Where
// the version does not tell fenced brokers, one that is absent from the list is all that can be seen.
import type { BrokerId } from '../vocabulary.ts';
import { isNotServed } from '../wire/api-negotiation.ts';
import type { ClusterClient } from '../wire/cluster-client.ts';
import { type CallOptions, type DescribedCluster, describeCluster, fetchMetadata } from '../wire/evidence-calls.ts';
import { type ClusterFact, idList, ToldBefore } from './cluster-fact.ts';

/** Registered brokers, and of each whether it is fenced where that is told. */
export type Registered = DescribedCluster['brokers'];

/** By DescribeCluster, or by Metadata where that is not served. */
export const askRegistered = async (client: ClusterClient, options: CallOptions): Promise<Registered> => {
  try {
    return (await describeCluster(client, options)).brokers;
  } catch (thrown) {
    if (!isNotServed(thrown)) throw thrown;
    const { brokers } = await fetchMetadata(client, [], options);
    return brokers.map((broker) => ({ ...broker, isFenced: undefined }));
  }
};

/** Tells which of `known` are fenced or absent, when it changes. */
export class BrokerStanding {
  readonly #known: readonly BrokerId[];
  readonly #told = new ToldBefore();

  constructor(known: readonly BrokerId[]) {
    this.#known = known;
  }

  news(brokers: Registered): readonly ClusterFact[] {
    const tellsFenced = brokers.some(({ isFenced }) => isFenced !== undefined);
    const fenced = brokers.filter(({ isFenced }) => isFenced === true).map(({ id }) => id);
    const absent = this.#known.filter((id) => !brokers.some((broker) => broker.id === id));
    const data = { fenced: [...fenced].sort((one, other) => one - other), absent, tellsFenced };
    if (!this.#told.isNews('standing', data)) return [];
    const text = tellsFenced
      ? `fenced: ${idList(data.fenced)}; not registered: ${idList(absent)}`
      : `absent from the cluster: ${idList(absent)}; this version does not tell who is fenced`;
    return [{ source: 'fenced', text, data }];
  }
}
