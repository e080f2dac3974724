// The packet filter of a cut: the scripts that make it, take it away and look at it, and what they print. All of it is in a chain of
// its own, so that nobody else's rule is touched, and each rule counts what it dropped. Pure.
import { HOLD_SECONDS } from './container-beside.ts';
import type { ConnectAnswer, CutState, Dialled, NetworkCut } from './container-control.ts';

/** On the helper that holds a cut. */
export const CUT_LABEL = 'ackproof.cuts';
/** On the same: what takes its rules away, for whoever knows of nothing else. */
export const CHAIN_LABEL = 'ackproof.chain';
/** Every chain of ours begins so. */
export const CHAIN_PREFIX = 'ACKPROOF-';
/** How long a connection is waited for, s. */
const CONNECT_SECONDS = 1;
/** The most that iptables takes in one rule. */
const PORTS_IN_A_RULE = 15;
const HOOKS = ['INPUT', 'OUTPUT'] as const;

/** Rules may lie in either of the kernel's two filters; one program sees only its own. */
const PROGRAMS = ['iptables', 'iptables-nft', 'iptables-legacy'] as const;

const portGroups = (ports: readonly number[]): readonly string[] => {
  const groups: string[] = [];
  for (let first = 0; first < ports.length; first += PORTS_IN_A_RULE) {
    groups.push(ports.slice(first, first + PORTS_IN_A_RULE).join(','));
  }
  return groups;
};

/** What is sent to a node that is dialled and what comes back from it, in the order in which the rules stand. */
const rulesOf = (peers: readonly Dialled[]): readonly { readonly node: string; readonly match: string }[] =>
  peers.flatMap(({ node, places }) =>
    places.flatMap(({ host, ports }) =>
      portGroups(ports).flatMap((group) => [
        { node, match: `-p tcp -d ${host} -m multiport --dports ${group}` },
        { node, match: `-p tcp -s ${host} -m multiport --sports ${group}` },
      ]),
    ),
  );

/** A jump is taken away until none is left: there may be two. */
export const removeScript = ({ program, chain }: Pick<NetworkCut, 'program' | 'chain'>): string =>
  [
    ...HOOKS.map((hook) => `while ${program} -w -D ${hook} -j ${chain} 2>/dev/null; do :; done`),
    `${program} -w -F ${chain} 2>/dev/null`,
    `${program} -w -X ${chain} 2>/dev/null`,
  ].join('; ');

/** The jumps come last and all at once, and before everything else that is there, so that what is established is cut, too. */
export const holdScript = (cut: NetworkCut): string => {
  const { program, chain, peers } = cut;
  const remove = removeScript(cut);
  return [
    `${program} -w -N ${chain} || exit 1`,
    `undo() { ${remove}; }`,
    ...rulesOf(peers).map(({ match }) => `${program} -w -A ${chain} ${match} -j DROP || { undo; exit 1; }`),
    ...HOOKS.map((hook) => `${program} -w -I ${hook} 1 -j ${chain} || { undo; exit 1; }`),
    'echo held',
    `sleep ${HOLD_SECONDS}`,
    'undo',
  ].join('\n');
};

/** One connection to each, all at the same time. */
export const connectScript = (peers: readonly Dialled[]): string =>
  [
    ...peers.flatMap(({ node, places }) =>
      places.map(({ host, ports }) => {
        const dial = `bash -c 'exec 3<>/dev/tcp/${host}/${ports[0] ?? 0}'`;
        return `{ timeout ${CONNECT_SECONDS} ${dial} 2>/dev/null; echo "connect ${node} $?"; } &`;
      }),
    ),
    'wait',
  ].join('\n');

const answerOf = (code: string): ConnectAnswer => {
  if (code === '0') return 'ok';
  return code === '124' ? 'timeout' : 'refused';
};

/** From the worst to the best: a node that is reached anywhere is reached. */
const RANKS: readonly ConnectAnswer[] = ['timeout', 'refused', 'ok'];

/** What `connectScript` printed. */
export const readConnects = (output: string): CutState['answers'] => {
  const answers: Record<string, ConnectAnswer> = {};
  for (const [, node = '', code = ''] of output.matchAll(/^connect (\S+) (\d+)$/gmu)) {
    const [answer, known] = [answerOf(code), answers[node] ?? 'timeout'];
    answers[node] = RANKS.indexOf(answer) > RANKS.indexOf(known) ? answer : known;
  }
  return answers;
};

const isJump = (line: string, hook: string, chain: string): boolean =>
  line.startsWith(`-A ${hook} `) && line.trimEnd().endsWith(`-j ${chain}`);

/** Packets that a chain dropped, by the node they were to or from; empty where the chain is not there, or not jumped to. */
export const readDrops = (
  output: string,
  { chain, peers }: Pick<NetworkCut, 'chain' | 'peers'>,
): CutState['dropped'] => {
  const lines = output.split('\n');
  const isJumpedTo = HOOKS.every((hook) => lines.some((line) => isJump(line, hook, chain)));
  const counts = lines.flatMap((line) => {
    const counted = line.startsWith(`-A ${chain} `) ? / -c (\d+) \d+/u.exec(line) : null;
    return counted === null ? [] : [Number(counted[1])];
  });
  const rules = rulesOf(peers);
  if (!isJumpedTo || counts.length !== rules.length) return {};
  const dropped: Record<string, number> = {};
  for (const [index, { node }] of rules.entries()) dropped[node] = (dropped[node] ?? 0) + (counts[index] ?? 0);
  return dropped;
};

/** TCP ports that something listens on, as /proc/net/tcp and tcp6 tell them, but for those that only the node itself can reach. */
export const readListening = (output: string): readonly number[] => {
  const isLoopback = (address: string): boolean =>
    address.length === 8 ? address.endsWith('7F') : /^0{24}01000000$|^0{16}FFFF0000[0-9A-F]{6}7F$/u.test(address);
  const ports = [...output.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /gmu)].flatMap(
    ([, address = '', port = '']) => (isLoopback(address) ? [] : [Number.parseInt(port, 16)]),
  );
  return [...new Set(ports)].sort((one, other) => one - other);
};

/** Says which of the programs can make a rule such as ours, in a network of nobody's. */
export const TRY_PROGRAMS = `command -v bash >/dev/null && command -v timeout >/dev/null || echo no-bash
for p in ${PROGRAMS.join(' ')}; do
  command -v $p >/dev/null || continue
  echo found $p
  $p -w -N ${CHAIN_PREFIX}TRY && $p -w -A ${CHAIN_PREFIX}TRY -p tcp -d 127.0.0.1 -m multiport --dports 1 -j DROP || continue
  echo works $p
  break
done`;

/**
 * How a filter differs from what it was before a cut; chains of other cuts come and go for themselves. Of a container that was
 * started again since, only that nothing of the cut is there.
 */
export const cutDifferences = (
  { rules: before, chain, sinceMs }: Pick<NetworkCut, 'rules' | 'chain' | 'sinceMs'>,
  now: readonly string[],
  startedAtMs: number,
): readonly string[] => {
  const isOurs = (rule: string): boolean => rule.split(' ').includes(chain);
  if (startedAtMs !== sinceMs) return now.filter(isOurs).map((rule) => `"${rule}" was not there`);
  const isAnothers = (rule: string): boolean => !isOurs(rule) && rule.includes(` ${CHAIN_PREFIX}`);
  return [
    ...now.filter((rule) => !before.includes(rule) && !isAnothers(rule)).map((rule) => `"${rule}" was not there`),
    ...before.filter((rule) => !now.includes(rule) && !isAnothers(rule)).map((rule) => `"${rule}" is gone`),
  ];
};

/** The commands that do the same by hand. */
export const cutCommand = (cut: NetworkCut, id: string): string =>
  `docker rm -fv $(docker ps -aq --filter label=${CUT_LABEL}=${cut.name}); ` +
  `docker run --rm --user 0 --cap-add NET_ADMIN --network container:${id} --entrypoint sh ` +
  `${cut.image} -c '${removeScript(cut)}'`;
