// Disturbing the packets that a container sends, by the kernel's netem on each of its network interfaces: from a container beside it
// that shares its network, since it has neither the right to do so itself nor always the program. What is read back is asked in the
// network that the container has now: one that was started again has another, and nothing of this in it.
import { EnvironmentError } from '../errors.ts';
import { HOLD_SECONDS, removeHelper, runBeside } from './container-beside.ts';
import type { DisturbanceLeft, DisturbanceState, PacketDisturbance } from './container-control.ts';
import { type ContainerFacts, hasProcess } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';

const LABEL = 'ackproof.disturbs';
/** Ours among all queueing disciplines. */
const HANDLE = 'ac0f:';
/** What is reordered overtakes packets that are late by this. */
const REORDER_DELAY = '20ms';

/** What whoever holds a disturbance says once there is one. */
const HELD = 'held';

const EACH = 'for i in $(ls /sys/class/net); do [ "$i" = lo ] && continue';
const REMOVE = `${EACH}; tc qdisc del dev "$i" root handle ${HANDLE} 2>/dev/null; done`;

const share = (of: number): string => `${+(of * 100).toFixed(4)}%`;

/** As `tc` is told it. */
const netemOf = ({ how, share: part, correlation }: PacketDisturbance): string => {
  const amount = correlation === 0 ? share(part) : `${share(part)} ${share(correlation)}`;
  return how === 'reorder' ? `delay ${REORDER_DELAY} reorder ${amount}` : `${how} ${amount}`;
};

/** Only the discipline that an interface has by itself is replaced; one that cannot be read may be somebody else's. */
const holdScript = (disturbance: PacketDisturbance): string => `
${EACH}
  tc qdisc show dev "$i" | grep -q ' 0: root' || { echo "foreign $i"; exit 1; }
done
${EACH}; tc qdisc add dev "$i" root handle ${HANDLE} netem ${netemOf(disturbance)} || { ${REMOVE}; exit 1; }; done
echo ${HELD}
sleep ${HOLD_SECONDS}
${REMOVE}`;

/** An answer without the last line was cut short, and tells nothing. */
const LOOKED = 'all of it looked at';
const LOOK = `tc -s qdisc show && told=1; grep ^Tcp: /proc/net/snmp; grep ^TcpExt: /proc/net/netstat; [ "$told" ] && echo '${LOOKED}'`;
const PROBE = 'command -v tc >/dev/null || echo no-tc; tc qdisc add dev lo root netem loss 1% && echo has-netem';

type Counted = Pick<DisturbanceState, 'resent' | 'twice' | 'outOfOrder'>;

/** Counters of the kernel that rise when segments come to be sent, or are told to have come, a second time or in another order. */
const COUNTERS: Readonly<Record<keyof Counted, readonly string[]>> = {
  resent: ['RetransSegs'],
  twice: ['TCPDSACKRecv', 'TCPDSACKOfoRecv'],
  outOfOrder: ['TCPSACKReorder', 'TCPTSReorder'],
};

/** `Tcp: Names` above `Tcp: numbers`, as /proc/net has it. */
const countersIn = (output: string): Counted => {
  const rows = output.split('\n').filter((line) => /^Tcp(Ext)?:/u.test(line));
  const pairs = rows.flatMap((row, index) => {
    const next = rows[index + 1]?.split(' ') ?? [];
    const names = row.split(' ');
    return names[0] === next[0] && /^\d/u.test(next[1] ?? '') ? names.map((name, at) => [name, next[at]] as const) : [];
  });
  const sum = (names: readonly string[]): number =>
    pairs.reduce((all, [name, value]) => (names.includes(name) ? all + Number(value) : all), 0);
  return { resent: sum(COUNTERS.resent), twice: sum(COUNTERS.twice), outOfOrder: sum(COUNTERS.outOfOrder) };
};

/** The shares of one discipline as `tc` shows them: `… limit 1000 delay 20ms reorder 10% 25% gap 1`. */
const sharesIn = (discipline: string): DisturbanceState['inForce'][number] => {
  const [line = ''] = discipline.split('\n');
  const found = line.matchAll(/ (corrupt|duplicate|loss|reorder) ([\d.]+)%/gu);
  return Object.fromEntries([...found].map(([, fate = '', percent]) => [fate, Number(percent) / 100] as const));
};

/** What a look printed. @throws EnvironmentError for one that is not whole. */
export const readDisturbanceLook = (output: string): DisturbanceState => {
  if (!output.trimEnd().endsWith(LOOKED)) {
    const said = output.trim() || 'no answer';
    throw new EnvironmentError('NETEM_NOT_READ', `Nobody can tell what is done to its packets: ${said.slice(-200)}.`, {
      hint: 'See that the helper image has tc (iproute2): name one as helperImage in the target file.',
    });
  }
  const own = output.split(/^qdisc /mu).filter((each) => each.startsWith(`netem ${HANDLE}`));
  const sum = (pattern: RegExp): number => own.reduce((all, each) => all + Number(pattern.exec(each)?.[1] ?? 0), 0);
  return {
    interfaces: own.length,
    inForce: own.map(sharesIn),
    packets: sum(/ (\d+) pkt/u),
    dropped: sum(/\(dropped (\d+)/u),
    ...countersIn(output),
  };
};

const NOTHING = readDisturbanceLook(LOOKED);

export const readDisturbance = async (
  engine: DockerEngine,
  { id, status }: ContainerFacts,
  signal?: AbortSignal,
): Promise<DisturbanceState> => {
  // A container that does not run has no network.
  if (status !== 'running') return NOTHING;
  return readDisturbanceLook(await engine.exec(id, ['/bin/sh', '-c', LOOK], signal));
};

/** In a container that is paused no program can be run, and what is done to its packets goes on. */
const interfacesOf = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<number> => {
  if (facts.status !== 'paused') return (await readDisturbance(engine, facts, signal)).interfaces;
  const order = { runId, script: LOOK, shares: 'its network' } as const;
  return readDisturbanceLook(await runBeside(engine, facts, order, signal)).interfaces;
};

/** What is left of a disturbance, also where the container does not run: who holds it may be there all the same. */
export const disturbanceLeft = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { name, runId }: Pick<PacketDisturbance, 'name' | 'runId'>,
  signal?: AbortSignal,
): Promise<DisturbanceLeft> => ({
  holders: (await engine.containerIds({ [LABEL]: name }, signal)).length,
  interfaces: await interfacesOf(engine, facts, runId, signal),
});

/** @throws EnvironmentError where the kernel, or the image, has not what it takes. */
export const refuseWithoutNetem = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  runId: string,
  signal: AbortSignal,
): Promise<void> => {
  const printed = await runBeside(engine, facts, { runId, script: PROBE, shares: 'nowhere' }, signal);
  if (printed.includes('has-netem')) return;
  if (printed.includes('no-tc')) {
    throw new EnvironmentError('NETEM_NO_TC', `The image ${facts.image} has no tc, which disturbs packets.`, {
      hint: 'Use an image with iproute2, such as the one that `npm run images` builds.',
    });
  }
  throw new EnvironmentError('NETEM_MISSING', 'The kernel of the Docker engine has no netem (sch_netem).', {
    hint: 'Load it on that machine (modprobe sch_netem), or use network-latency or bandwidth-limit, which take a proxy.',
  });
};

export const startDisturbance = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  disturbance: PacketDisturbance,
  signal: AbortSignal,
): Promise<void> => {
  const { name, runId } = disturbance;
  const script = holdScript(disturbance);
  const order = { runId, script, shares: 'its network', labels: { [LABEL]: name }, stays: HELD } as const;
  const printed = await runBeside(engine, facts, order, signal);
  if (printed.includes(HELD)) return;
  const foreign = /^foreign (\S+)/mu.exec(printed)?.[1];
  const why = foreign === undefined ? printed.trim() : `the interface ${foreign} has a queueing discipline already`;
  throw new EnvironmentError('NETEM_REFUSED', `The packets of ${facts.name} cannot be disturbed: ${why}.`, {
    hint: 'It takes tc in the helper image, NET_ADMIN for helpers and a kernel with sch_netem; where one is missing, use network-latency or bandwidth-limit.',
  });
};

export const endDisturbance = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  { name, runId }: Pick<PacketDisturbance, 'name' | 'runId'>,
  signal: AbortSignal,
): Promise<void> => {
  for (const holding of await engine.containerIds({ [LABEL]: name }, signal)) {
    await removeHelper(engine, holding, signal);
  }
  if (!hasProcess(facts)) return;
  await runBeside(engine, facts, { runId, script: REMOVE, shares: 'its network' }, signal);
  const interfaces = await interfacesOf(engine, facts, runId, signal);
  if (interfaces === 0) return;
  throw new EnvironmentError('NETEM_NOT_REMOVED', `${interfaces} interfaces of ${facts.name} still have netem.`, {
    hint: 'Run `ackproof heal --all`; else restart that container, whose interfaces are made anew.',
  });
};

/** The commands that do the same by hand. */
export const disturbanceCommand = ({ name }: Pick<PacketDisturbance, 'name'>, id: string): string =>
  `docker rm -fv $(docker ps -aq --filter label=${LABEL}=${name}); ` +
  `docker run --rm --user 0 --cap-add NET_ADMIN --network container:${id} --entrypoint sh ` +
  `$(docker inspect -f '{{.Image}}' ${id}) -c '${REMOVE.replaceAll('"', '')}'`;
