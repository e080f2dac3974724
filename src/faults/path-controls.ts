// The controls of a fault on one path: what else of the same broker or the same store must stay well meanwhile.
import type { BrokerNode, Link, PathName } from '../targets/target.ts';
import { type Control, directControl, linkControl, storeControl } from './controls.ts';
import type { FaultContext } from './fault.ts';
import { type LinkCanary, openLinkCanary } from './link-canary.ts';
import type { Victims } from './victim.ts';

/** How a fault's canaries and controls ask: by one small question, unless a fault brings something that shows more. */
export interface PathProbes {
  canary(link: Link): Promise<LinkCanary>;
  /** A broker's own unadvertised listener, past every proxy. */
  direct(broker: BrokerNode): Promise<Control>;
}

export const smallQuestions = ({ target, runId }: FaultContext, signal: AbortSignal): PathProbes => ({
  canary: async (link) => await openLinkCanary(link, target, runId, signal),
  direct: async (broker) => await directControl(broker, target, signal),
});

const sameAddress = (broker: { readonly advertised: unknown; readonly direct: unknown }): boolean =>
  JSON.stringify(broker.advertised) === JSON.stringify(broker.direct);

/** What a fault changes. */
export interface ChangedPath {
  readonly path: PathName;
  readonly victims: Victims;
  readonly links: readonly Link[];
}

/** One link of the path that is not changed, and neither comes from a victim nor leads to one. */
const untouched = (context: FaultContext, { path, victims, links }: ChangedPath): Link | undefined =>
  context.target.can.links?.all.find((link) => {
    const isEnd = [link.node, link.peer ?? link.node].some((end) => victims.nodes.includes(end));
    return link.path === path && !isEnd && !links.includes(link);
  });

/** The other store path of the first victim: data for the log, the log for data. */
const otherStorePath = (context: FaultContext, path: PathName, victims: Victims): Link | undefined => {
  const others: readonly PathName[] = path === 's3-data' ? ['s3-wal', 'wal'] : ['s3-data'];
  return context.target.can.links?.all.find((link) => others.includes(link.path) && victims.nodes.includes(link.node));
};

export const pathControls = async (
  context: FaultContext,
  changed: ChangedPath,
  probes: PathProbes,
  signal: AbortSignal,
): Promise<readonly Control[]> => {
  const { target, runId } = context;
  const { path, victims } = changed;
  const controls: (Control | undefined)[] = [];
  const addLink = async (link: Link | undefined): Promise<void> => {
    if (link !== undefined) controls.push(linkControl(await probes.canary(link)));
  };
  if (path !== 's3-data' && path !== 's3-wal' && path !== 'wal') {
    for (const broker of victims.brokers) {
      if (!sameAddress(broker)) controls.push(await probes.direct(broker));
    }
  } else {
    controls.push(await storeControl(target, runId, signal));
    await addLink(otherStorePath(context, path, victims));
  }
  await addLink(untouched(context, changed));
  return controls.filter((control): control is Control => control !== undefined);
};
