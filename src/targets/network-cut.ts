// Cutting a container off from addresses that it dials, by iptables in the network it has: from a container beside it that shares
// that network, since it has neither the right to do so itself nor always the program. A container that was started again has
// another network, and nothing of this in it.
import { EnvironmentError } from '../errors.ts';
import type { CutState, Dialled, NetworkCut, PacketFilter } from './container-control.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';
import {
  CUT_LABEL,
  connectScript,
  cutDifferences,
  holdScript,
  readConnects,
  readDrops,
  readListening,
  removeScript,
  TRY_PROGRAMS,
} from './network-cut-rules.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const DEADLINE_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** Ports of a running container that others can dial. */
export const listeningPorts = async (
  engine: DockerEngine,
  { id }: Pick<ContainerFacts, 'id'>,
  signal: AbortSignal,
): Promise<readonly number[]> =>
  readListening(await engine.exec(id, ['cat', '/proc/net/tcp', '/proc/net/tcp6'], signal));

interface HelperOrder {
  readonly image: string;
  readonly script: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly shares: 'its network' | 'nowhere';
}

/** Runs until it has printed what `isDone` waits for, or has ended; what it printed. */
const startHelper = async (
  engine: DockerEngine,
  { id }: Pick<ContainerFacts, 'id'>,
  order: HelperOrder,
  isDone: (printed: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly helper: string; readonly printed: string }> => {
  const helper = await engine.startBeside(id, order, signal);
  try {
    const wait = { awaited: 'a helper to have done its work', deadlineMs: DEADLINE_MS, everyMs: LOOK_EVERY_MS };
    const printed = await waitFor(signal === undefined ? wait : { ...wait, signal }, async () => {
      const { status } = await engine.inspect(helper, signal);
      const text = await engine.printed(helper, signal);
      return isDone(text) || status === 'exited' ? done(text) : notYet(status);
    });
    return { helper, printed };
  } catch (thrown) {
    await engine.removeContainer(helper).catch(() => undefined);
    throw thrown;
  }
};

/** Runs a script to its end in the network of a container, or in none; what it printed. */
const runHelper = async (
  engine: DockerEngine,
  facts: Pick<ContainerFacts, 'id'>,
  order: Omit<HelperOrder, 'labels'> & { readonly runId: string },
  signal?: AbortSignal,
): Promise<string> => {
  const { runId, ...rest } = order;
  const labelled = { ...rest, labels: { 'ackproof.run': runId } };
  const { helper, printed } = await startHelper(engine, facts, labelled, () => false, signal);
  await engine.removeContainer(helper).catch(() => undefined);
  return printed;
};

/** @throws EnvironmentError where no packet can be dropped by a helper of this image. */
export const findPacketFilter = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { runId, image = facts.imageId }: { readonly runId: string; readonly image: string | undefined },
  signal: AbortSignal,
): Promise<PacketFilter> => {
  const printed = await runHelper(engine, facts, { image, runId, script: TRY_PROGRAMS, shares: 'nowhere' }, signal);
  const program = /^works (\S+)$/mu.exec(printed)?.[1];
  const isWhole = !printed.includes('no-bash');
  if (program !== undefined && isWhole) return { program, image };
  const name = image === facts.imageId ? facts.image : image;
  if (!isWhole || !printed.includes('found ')) {
    const missing = isWhole ? 'no iptables, which drops packets' : 'no bash or no timeout, which a helper needs';
    throw new EnvironmentError('IPTABLES_NOT_THERE', `The image ${name} has ${missing}.`, {
      hint: 'Name an image that has iptables and bash as helperImage in the target file, or give the brokers one.',
    });
  }
  throw new EnvironmentError('IPTABLES_REFUSED', `No iptables of the image ${name} works here: ${printed.trim()}`, {
    hint: 'See whether the kernel of the Docker engine has ip_tables or nf_tables, with xt_multiport.',
  });
};

/** Only what runs has a network, and a paused container runs. */
const hasNetwork = ({ status }: ContainerFacts): boolean => status === 'running' || status === 'paused';

/** Every rule of the filter of a running container, in iptables' own words. */
export const filterRules = async (
  engine: DockerEngine,
  { id }: Pick<ContainerFacts, 'id'>,
  { program, image, runId }: PacketFilter & { readonly runId: string },
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const script = `${program} -w -S && echo whole`;
  const printed = await runHelper(engine, { id }, { image, runId, script, shares: 'its network' }, signal);
  const lines = printed.split('\n');
  // It may also warn of rules that lie in the kernel's other filter.
  if (lines.includes('whole')) return lines.filter((line) => line.startsWith('-'));
  throw new EnvironmentError('IPTABLES_UNREAD', `The packet filter of a container cannot be read: ${printed.trim()}`);
};

/** Whether each of `peers` can be connected to from the network of a container. */
export const connectFrom = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { image, runId, peers }: Pick<NetworkCut, 'image' | 'runId' | 'peers'>,
  signal: AbortSignal,
): Promise<CutState['answers']> => {
  const script = connectScript(peers);
  return readConnects(await runHelper(engine, facts, { image, runId, script, shares: 'its network' }, signal));
};

/** An address by which a container could be dialled past the rules, which are for IPv4 only. */
const SCOPE_GLOBAL = '00';

/** @throws EnvironmentError where a running container has more addresses than the rules are for. */
export const refuseOtherAddresses = async (
  engine: DockerEngine,
  { id, name }: Pick<ContainerFacts, 'id' | 'name'>,
  signal: AbortSignal,
): Promise<void> => {
  const rows = (await engine.exec(id, ['cat', '/proc/net/if_inet6'], signal)).split('\n');
  if (!rows.some((row) => row.trim().split(/\s+/u)[3] === SCOPE_GLOBAL)) return;
  throw new EnvironmentError(
    'CUT_IPV6',
    `The container ${name} has an IPv6 address, and packets are dropped by IPv4 only.`,
    {
      hint: 'Take IPv6 out of its networks (enable_ipv6), or use node-isolate.',
    },
  );
};

/** @throws EnvironmentError where the rules cannot be made; none of them is left then. */
export const startCut = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  cut: NetworkCut,
  signal: AbortSignal,
): Promise<void> => {
  const labels = { 'ackproof.run': cut.runId, [CUT_LABEL]: cut.name };
  const order = { image: cut.image, script: holdScript(cut), labels, shares: 'its network' } as const;
  const { printed } = await startHelper(engine, facts, order, (text) => text.includes('held'), signal);
  if (printed.includes('held')) return;
  throw new EnvironmentError('CUT_REFUSED', `${facts.name} cannot be cut off by iptables: ${printed.trim()}`);
};

const NO_CUT: CutState = { dropped: {}, answers: {} };

/**
 * What the helper that holds a cut sees: counters, and a connection to each of the cut's peers and of `others`. Nothing where the
 * container was started again since: its helper is left in a network that is nobody's any more.
 */
export const readCut = async (
  engine: DockerEngine,
  { startedAtMs }: ContainerFacts,
  cut: NetworkCut,
  others: readonly Dialled[],
  signal?: AbortSignal,
): Promise<CutState> => {
  const [helper] = await engine.containerIds({ [CUT_LABEL]: cut.name }, signal);
  if (helper === undefined) return NO_CUT;
  const { startedAtMs: heldSinceMs, status } = await engine.inspect(helper, signal);
  if (status !== 'running' || startedAtMs > heldSinceMs) return NO_CUT;
  const script = `${connectScript([...cut.peers, ...others])}\n${cut.program} -w -v -S`;
  const printed = await engine.exec(helper, ['/bin/sh', '-c', script], signal);
  return { dropped: readDrops(printed, cut), answers: readConnects(printed) };
};

/** What of the filter is not as it was, and a helper that still holds the cut; a container started again has another filter. */
export const cutLeft = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  cut: NetworkCut,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const holding = await engine.containerIds({ [CUT_LABEL]: cut.name }, signal);
  const helpers = holding.map((id) => `the helper ${id.slice(0, 12)} is still there`);
  if (!hasNetwork(facts)) return helpers;
  const now = await filterRules(engine, facts, cut, signal);
  return [...helpers, ...cutDifferences(cut, now, facts.startedAtMs)];
};

export const endCut = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  cut: NetworkCut,
  signal: AbortSignal,
): Promise<void> => {
  for (const holding of await engine.containerIds({ [CUT_LABEL]: cut.name }, signal))
    await engine.removeContainer(holding, signal);
  if (!hasNetwork(facts)) return;
  const { image, runId } = cut;
  await runHelper(engine, facts, { image, runId, script: removeScript(cut), shares: 'its network' }, signal);
  const left = await cutLeft(engine, facts, cut, signal);
  if (left.length === 0) return;
  throw new EnvironmentError(
    'CUT_NOT_REMOVED',
    `The packet filter of ${facts.name} is not as it was: ${left.join('; ')}.`,
  );
};
