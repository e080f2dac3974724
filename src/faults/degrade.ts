// Settings of running brokers changed for the worse, and what shows it: the value in force by the broker's own word, a canary that
// feels it, and peers whose settings and answers are as before.
import { EnvironmentError, InternalError } from '../errors.ts';
import type { BrokerNode } from '../targets/target.ts';
import { changeSettings, describeSettings, type Setting } from '../wire/config-changes.ts';
import { clusterReference } from './cluster-reference.ts';
import { type DegradeCanary, openDegradeCanary } from './degrade-canary.ts';
import type { EvidenceSample, FaultContext, HealSample, OrderStep, PreparedFault, VictimSelector } from './fault.ts';
import { type NodeCanary, openNodeCanary } from './node-canary.ts';
import { type OrderScene, openOrderScene, orderLimit, prepareOrderFault } from './order-fault.ts';
import { isAsBefore, isWell, PATIENT_MS } from './probes/baseline.ts';
import { describeProbe } from './probes/probe.ts';

/** By Kafka's names; only those of the fault's list. */
export type WantedSettings = Readonly<Partial<Record<string, string>>>;

type SettingsInForce = ReadonlyMap<string, Setting>;

interface Degrade extends OrderScene {
  readonly wanted: Readonly<Record<string, string>>;
  /** At least one. */
  readonly peers: readonly [BrokerNode, ...BrokerNode[]];
  /** By broker id, victims and peers. */
  readonly before: ReadonlyMap<number, SettingsInForce>;
  readonly canary: DegradeCanary;
  readonly paths: readonly NodeCanary[];
}

const settingsOf = async (
  { client, wanted }: Pick<Degrade, 'client' | 'wanted'>,
  { id }: BrokerNode,
  signal: AbortSignal,
): Promise<SettingsInForce> => {
  const names = Object.keys(wanted);
  return await describeSettings(client, { type: 'broker', name: String(id) }, names, orderLimit(signal));
};

const settingsBefore = async (
  scene: Pick<Degrade, 'client' | 'wanted'>,
  brokers: readonly BrokerNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, SettingsInForce>> => {
  const before = new Map<number, SettingsInForce>();
  for (const broker of brokers) {
    const found = await settingsOf(scene, broker, signal);
    const unknown = Object.keys(scene.wanted).filter((name) => !found.has(name));
    if (unknown.length > 0) {
      throw new EnvironmentError('SETTING_UNKNOWN', `${broker.node} has no setting ${unknown.join(', ')}.`, {
        hint: 'Leave it out: this cluster does not know it.',
      });
    }
    before.set(broker.id, found);
  }
  return before;
};

const peersOf = ({ context, victims }: OrderScene): Degrade['peers'] => {
  const [first, ...others] = context.target.brokers.filter(({ node }) => !victims.nodes.includes(node));
  if (first !== undefined) return [first, ...others];
  throw new EnvironmentError('FAULT_NO_CONTROL', 'Every broker would be degraded, and none be left to compare with.', {
    hint: 'Hit fewer brokers, or use a cluster with more of them.',
  });
};

const undoOf = ({ context, victims, wanted, before, cluster: view }: Degrade): readonly OrderStep[] => {
  const cluster = clusterReference(context.target, view);
  return victims.brokers.map(({ id }): OrderStep => {
    const own = (name: string): string | null => {
      const setting = before.get(id)?.get(name);
      return setting?.isOwn === true ? setting.value : null;
    };
    const settings = Object.fromEntries(Object.keys(wanted).map((name) => [name, own(name)]));
    return { do: 'restore-settings', cluster, broker: id, settings };
  });
};

const textOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const sampleInForce = async (scene: Degrade, broker: BrokerNode, signal: AbortSignal): Promise<EvidenceSample> => {
  const now = await settingsOf(scene, broker, signal);
  const other = Object.entries(scene.wanted).filter(([name, value]) => {
    const setting = now.get(name);
    return setting?.value !== value || !setting.isOwn;
  });
  const differing = other.map(([name]) => `${name}=${now.get(name)?.value ?? 'nothing'}`).join(', ');
  const seen =
    other.length === 0 ? `${broker.node} has ${textOf(scene.wanted)}` : `${broker.node} still has ${differing}`;
  return { kind: 'mechanism', holds: other.length === 0, seen };
};

/** Peers that no other fault has in hand. */
const tellingPeers = ({ context, peers, openedAtMs }: Degrade): readonly BrokerNode[] => {
  const struck = context.struckByOthers?.(openedAtMs);
  return peers.filter(({ node }) => struck?.has(node) !== true);
};

/** They keep their settings, and answer. */
const samplePeers = async (scene: Degrade, signal: AbortSignal): Promise<readonly EvidenceSample[]> =>
  await Promise.all(
    tellingPeers(scene).map(async (peer): Promise<EvidenceSample> => {
      const [was, now] = [scene.before.get(peer.id), await settingsOf(scene, peer, signal)];
      const changed = Object.keys(scene.wanted).filter((name) => was?.get(name)?.value !== now.get(name)?.value);
      const seen = changed.length === 0 ? 'has the settings of before' : `has another ${changed.join(', ')}`;
      return { kind: 'control', holds: changed.length === 0, seen: `${peer.node} ${seen}` };
    }),
  );

const samplePaths = async ({ paths }: Degrade, signal: AbortSignal): Promise<readonly HealSample[]> => {
  const samples: HealSample[] = [];
  for (const path of paths) {
    const { node, baseline } = path;
    const result = await path.probe(PATIENT_MS, signal);
    const holds = isAsBefore(result, baseline, 0);
    const isSlow = !holds && isWell(result);
    samples.push({ kind: 'effect', holds, seen: `${node}: ${describeProbe(result)}`, ...(isSlow && { isSlow }) });
  }
  return samples;
};

const openDegrade = async (
  opened: OrderScene,
  wanted: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Degrade> => {
  const { context, victims, client } = opened;
  const { target, runId } = context;
  const peers = peersOf(opened);
  const before = await settingsBefore({ client, wanted }, [...victims.brokers, ...peers], signal);
  const paths: NodeCanary[] = [];
  for (const node of victims.nodes) paths.push(await openNodeCanary(node, target, runId, signal));
  const cast = { victims: victims.brokers, peer: peers[0], paths };
  const canary = await openDegradeCanary(context, cast, wanted, signal);
  return { ...opened, wanted, peers, before, paths, canary };
};

const planDegrade = (scene: Degrade): PreparedFault => {
  const { client, victims, wanted, canary } = scene;
  return prepareOrderFault({
    fault: 'broker-degrade',
    scene,
    chosen: `${victims.chosen}: ${textOf(wanted)}`,
    undo: undoOf(scene),
    apply: async (own, begun) => {
      for (const { id, node } of victims.brokers) {
        await changeSettings(client, { type: 'broker', name: String(id) }, wanted, orderLimit(own));
        begun(`set ${textOf(wanted)} on ${node}`);
      }
      return { answer: `set ${textOf(wanted)} on ${victims.nodes.join(', ')}` };
    },
    mechanism: async (own) =>
      await Promise.all(victims.brokers.map(async (broker) => await sampleInForce(scene, broker, own))),
    effect: async (own) => await canary.effect(own),
    control: async (own) => [...(await samplePeers(scene, own)), ...(await canary.control(tellingPeers(scene), own))],
    healed: async (own) => await samplePaths(scene, own),
  });
};

const given = (settings: WantedSettings): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Writes down the settings of before and makes the canaries; no setting is changed yet. */
export const prepareDegrade = async (
  context: FaultContext,
  selector: VictimSelector,
  settings: WantedSettings,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const wanted = given(settings);
  if (Object.keys(wanted).length === 0) throw new InternalError('DEGRADE_NOTHING', 'No setting was to be changed.');
  const scene = await openOrderScene(context, selector, signal);
  try {
    return planDegrade(await openDegrade(scene, wanted, signal));
  } catch (thrown) {
    scene.client.close();
    throw thrown;
  }
};
