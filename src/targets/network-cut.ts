// Cutting a container off from addresses that it dials, by iptables in the network it has: from a container beside it that shares
// that network, since it has neither the right to do so itself nor always the program. A container that was started again has
// another network, and nothing of this in it.
import { EnvironmentError } from '../errors.ts';
import { removeHelper, runBeside } from './container-beside.ts';
import type { CutState, Dialled, NetworkCut, PacketFilter } from './container-control.ts';
import { type ContainerFacts, hasProcess } from './container-facts.ts';
import type { DockerEngine, Labels } from './docker-engine.ts';
import {
  CHAIN_LABEL,
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

/** Ports of a running container that others can dial. */
export const listeningPorts = async (
  engine: DockerEngine,
  { id }: Pick<ContainerFacts, 'id'>,
  signal: AbortSignal,
): Promise<readonly number[]> =>
  readListening(await engine.exec(id, ['cat', '/proc/net/tcp', '/proc/net/tcp6'], signal));

/** What runs beside a container, of another image perhaps. */
const besideOf = ({ id }: Pick<ContainerFacts, 'id'>, image: string) => ({ id, imageId: image });

/** @throws EnvironmentError where no packet can be dropped by a helper of this image. */
export const findPacketFilter = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { runId, image = facts.imageId }: { readonly runId: string; readonly image: string | undefined },
  signal: AbortSignal,
): Promise<PacketFilter> => {
  const printed = await runBeside(
    engine,
    besideOf(facts, image),
    { runId, script: TRY_PROGRAMS, shares: 'nowhere' },
    signal,
  );
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

/** Every rule of the filter of a running container, in iptables' own words. */
export const filterRules = async (
  engine: DockerEngine,
  { id }: Pick<ContainerFacts, 'id'>,
  { program, image, runId }: PacketFilter & { readonly runId: string },
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const script = `${program} -w -S && echo whole`;
  const printed = await runBeside(engine, besideOf({ id }, image), { runId, script, shares: 'its network' }, signal);
  const lines = printed.split('\n');
  // It may also warn of rules that lie in the kernel's other filter.
  if (lines.includes('whole')) return lines.filter((line) => line.startsWith('-'));
  throw new EnvironmentError('IPTABLES_UNREAD', `The packet filter of a container cannot be read: ${printed.trim()}`, {
    hint: 'Use an image with iptables for the helpers: name one as helperImage in the target file.',
  });
};

/** Whether each of `peers` can be connected to from the network of a container. */
export const connectFrom = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { image, runId, peers }: Pick<NetworkCut, 'image' | 'runId' | 'peers'>,
  signal: AbortSignal,
): Promise<CutState['answers']> => {
  const script = connectScript(peers);
  return readConnects(
    await runBeside(engine, besideOf(facts, image), { runId, script, shares: 'its network' }, signal),
  );
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
  const { image, runId, name, program, chain } = cut;
  const labels = { [CUT_LABEL]: name, [CHAIN_LABEL]: `${program} ${chain}` };
  const order = { runId, script: holdScript(cut), labels, shares: 'its network' } as const;
  const printed = await runBeside(engine, besideOf(facts, image), { ...order, stays: 'held' }, signal);
  if (printed.includes('held')) return;
  throw new EnvironmentError('CUT_REFUSED', `${facts.name} cannot be cut off by iptables: ${printed.trim()}`, {
    hint: 'See that the engine grants NET_ADMIN to helpers and that the kernel has iptables, or let proxies do it: backend: toxiproxy.',
  });
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
  if (!hasProcess(facts)) return helpers;
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
    await removeHelper(engine, holding, signal);
  if (!hasProcess(facts)) return;
  const { image, runId } = cut;
  const order = { runId, script: removeScript(cut), shares: 'its network' } as const;
  await runBeside(engine, besideOf(facts, image), order, signal);
  const left = await cutLeft(engine, facts, cut, signal);
  if (left.length === 0) return;
  throw new EnvironmentError(
    'CUT_NOT_REMOVED',
    `The packet filter of ${facts.name} is not as it was: ${left.join('; ')}.`,
    { hint: 'Run `ackproof heal --all`; else restart that container, whose packet filter goes with its network.' },
  );
};

/**
 * Takes away the rules of every helper with these labels that still holds some, by the helper itself: for a run of which nothing else
 * is known. @throws EnvironmentError where they are still there afterwards.
 */
export const releaseCuts = async (engine: DockerEngine, labels: Labels): Promise<void> => {
  for (const helper of await engine.containerIds({ ...labels, [CUT_LABEL]: '' })) {
    const { status, labels: own } = await engine.inspect(helper);
    const [program, chain] = (own[CHAIN_LABEL] ?? '').split(' ');
    if (status !== 'running' || program === undefined || chain === undefined) continue;
    const script = `${removeScript({ program, chain })}; ${program} -w -S && echo whole`;
    const left = (await engine.exec(helper, ['/bin/sh', '-c', script])).split('\n');
    if (left.includes('whole') && !left.some((rule) => rule.split(' ').includes(chain))) continue;
    throw new EnvironmentError('CUT_NOT_REMOVED', `The rules of ${chain} are still there: ${left.join('; ')}.`, {
      hint: 'Run `ackproof heal --all`; else restart that container, whose packet filter goes with its network.',
    });
  }
};
