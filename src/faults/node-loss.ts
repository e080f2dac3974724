// A broker whose disk is gone with it: the same id comes back with an empty data directory and is rebuilt from its peers. What
// only it had is lost for good, so it is refused where it holds the last copy of anything, unless that is allowed.
import { z } from 'zod';
import type { NodeDisks } from '../targets/target.ts';
import type { FaultContext, FaultDefinition } from './fault.ts';
import { LOSE_RECORDS } from './fault-params.ts';
import type { Scene } from './process-fault.ts';

const params = {
  /** Kafka 4.1 leaves a partition without a leader for good whose only replica lay in a directory that has another id now. */
  directoryId: z.enum(['new', 'kept']).prefault('new'),
  /** Whether it is made to lead again what it led, as soon as it is in sync; without it Kafka does so within five minutes. */
  handBack: z.boolean().prefault(false),
};

/** One for each victim that leads something. */
const watchRebuilds = async (context: FaultContext, scene: Scene, disks: NodeDisks, signal: AbortSignal) => {
  const { CapacityWatch } = await import('./capacity-watch.ts');
  const { ledByPreference } = await import('./hand-back.ts');
  const { target } = context;
  const rebuilds = [];
  for (const broker of scene.victims.brokers) {
    const places = ledByPreference(scene.cluster, broker.id);
    if (places.length === 0) continue;
    const copied = async (): Promise<number> => (await disks.look(broker.node)).bytes;
    const duties = { target, broker, partitions: places, trigger: 'its start was ordered', copied };
    rebuilds.push({ broker, places, watch: await CapacityWatch.open(duties, signal) });
  }
  return rebuilds;
};

export const nodeLoss = {
  kind: 'node-loss',
  summary:
    'Kills a broker and wipes its data directory for good; after the duration it starts with the same id and is rebuilt from its peers.',
  recovery: 'healable',
  requires: ['processes', 'disks'],
  backends: ['process', 'docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  duration: 'required',
  needsAllow: ['destroy-state'],
  mayAllow: [LOSE_RECORDS],
  params,
  prepare: async (context, selector, { directoryId, handBack: handsBack }, signal) => {
    const { AbsenceWatch } = await import('./leadership.ts');
    const { handBack } = await import('./hand-back.ts');
    const { askAnyMetadata } = await import('./probes/cluster-metadata.ts');
    const { LostDisks, needEphemeral, refuseLastCopies } = await import('./lost-disks.ts');
    const { DEAD, openScene, prepareProcessFault, sampleBystanders, sampleGone, sampleNodes, startAgain } =
      await import('./process-fault.ts');
    const { refuseFullOutage, requireCapability, resolveVictims } = await import('./victim.ts');
    const { target } = context;
    const disks = requireCapability(target.can.disks, 'disks', target);
    needEphemeral('node-loss', target);
    const victims = await resolveVictims(context, selector, signal);
    refuseFullOutage('node-loss', victims, target.brokers.length);
    const scene = await openScene('node-loss', context, victims, signal);
    const absence = new AbsenceWatch(context, victims.brokers, scene.cluster);
    refuseLastCopies('node-loss', context, victims, scene.cluster);
    const lost = await LostDisks.open(disks, victims.nodes, directoryId);
    const rebuilds = await watchRebuilds(context, scene, disks, signal);
    if (handsBack) requireCapability(target.can.administration, 'administration', target);
    return prepareProcessFault({
      fault: 'node-loss',
      scene,
      undo: startAgain(scene),
      apply: async (own, begun) => {
        // Who is in sync may be others than when it was prepared, and what is wiped does not come back.
        const now = await askAnyMetadata(target.evidenceBootstrap, own, target.security);
        refuseLastCopies('node-loss', context, victims, now);
        await Promise.all(
          victims.nodes.map(async (node) => {
            await scene.processes.kill(node, own);
            begun(`killed ${node}`);
            await lost.replace(node);
          }),
        );
        return { answer: `wiped ${lost.inWords}` };
      },
      mechanism: async () => [...(await sampleGone(scene)), ...(await lost.sampleEmpty())],
      effect: async (own) => [...(await sampleNodes(scene, DEAD, own)), ...(await absence.sample(own))],
      control: async () => [...(await sampleBystanders(scene)), ...(await lost.samplePeers(scene))],
      beforeHeal: async () => {
        for (const { watch } of rebuilds) watch.begin();
        await Promise.resolve();
      },
      afterUndo: async (own) => {
        if (!handsBack) return;
        for (const { broker, places } of rebuilds) await handBack(target, broker, places, own);
      },
      healed: async (_own, { tookMs, isWhole }) => [
        ...(await lost.sampleRebuilt(tookMs, isWhole)),
        ...(handsBack ? rebuilds.map(({ watch }) => watch.sample()) : []),
      ],
      capacities: () => rebuilds.flatMap(({ watch }) => watch.times),
      close: () => {
        for (const { watch } of rebuilds) watch.close();
      },
    });
  },
} satisfies FaultDefinition<typeof params>;
