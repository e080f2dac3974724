// The addresses of live brokers as the asker may know them: clients get the advertised (proxied) ones, evidence callers on
// the direct listener the direct ones.
import type { ClusterView } from '../../cluster-view.ts';
import type { ListenerName } from '../handler.ts';

export interface NodeAddress {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

export const addressesOf = (view: ClusterView, listener: ListenerName): readonly NodeAddress[] =>
  view.brokers
    .filter((broker) => broker.live)
    .map((broker) => ({ nodeId: broker.id, ...(listener === 'direct' ? broker.direct : broker.advertised) }));
