// Faults of the containers that nodes run in: what they share beyond what all faults of processes do, and cutting one off.
import { EnvironmentError } from '../errors.ts';
import type { ContainerControl, NetworkEndpoint } from '../targets/container-control.ts';
import type { NodeId } from '../targets/target.ts';
import type { Begun, EvidenceSample, FaultContext, ProbeClass, UndoRecord, UndoStep, VictimSelector } from './fault.ts';
import { probeDeadlineMs } from './probes/baseline.ts';
import { probeKafka } from './probes/kafka-connection.ts';
import { describeProbe } from './probes/probe.ts';
import { openScene, type Scene, sampleEach, sampleNodes } from './process-fault.ts';
import { refuseFullOutage, requireCapability, resolveVictims } from './victim.ts';

export interface ContainerScene extends Scene {
  readonly containers: ContainerControl;
}

/** Chooses the victims and looks at everything that a fault of their containers compares with later. */
export const openContainerScene = async (
  fault: UndoRecord['fault'],
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<ContainerScene> => {
  const { target } = context;
  const containers = requireCapability(target.can.containers, 'containers', target);
  const victims = await resolveVictims(context, selector, signal);
  refuseFullOutage(fault, victims, target.brokers.length);
  return { ...(await openScene(fault, context, victims, signal)), containers };
};

type EndpointStep = UndoStep & { readonly do: 'restore-endpoint' };

/** Networks that the engine lets nobody leave: the container has the host's, or none. */
const FIXED_NETWORKS: ReadonlySet<string> = new Set(['host', 'none']);

const leavable = (node: NodeId, endpoints: readonly NetworkEndpoint[]): readonly NetworkEndpoint[] => {
  const fixed = endpoints.find(({ network }) => FIXED_NETWORKS.has(network));
  if (endpoints.length > 0 && fixed === undefined) return endpoints;
  const where = fixed === undefined ? 'is in no network' : `uses the network "${fixed.network}"`;
  throw new EnvironmentError(
    'VICTIM_NOT_CONNECTED',
    `The container of ${node} ${where}, so it cannot be taken out of it.`,
    {
      hint: 'Give the nodes networks of their own, as docker-compose.yml of ackproof does.',
    },
  );
};

/** The way back into every network of every victim. Steps are undone last to first, networks entered in the order they are told. */
export const endpointSteps = async (scene: ContainerScene, signal: AbortSignal): Promise<readonly EndpointStep[]> => {
  const { containers, victims } = scene;
  const steps: EndpointStep[] = [];
  for (const node of victims.nodes) {
    const endpoints = leavable(node, await containers.endpoints(node, signal));
    const container = containers.reference(node);
    for (const endpoint of [...endpoints].reverse()) steps.push({ do: 'restore-endpoint', node, container, endpoint });
  }
  return steps;
};

/** Takes every victim out of its networks; what was done, in words. */
export const isolate = async (
  { containers }: ContainerScene,
  steps: readonly EndpointStep[],
  signal: AbortSignal,
  begun: Begun,
): Promise<string> => {
  const done = steps.map(({ node, endpoint }) => `${node} out of ${endpoint.network}`);
  await Promise.all(
    steps.map(async ({ node, endpoint }) => {
      await containers.disconnect(node, endpoint.networkId, signal);
      begun(`took ${node} out of ${endpoint.network}`);
    }),
  );
  return `took ${done.join(', ')}`;
};

/** No victim has a place in any network. */
export const sampleIsolation = async ({ containers, victims }: ContainerScene): Promise<readonly EvidenceSample[]> =>
  await sampleEach(victims.nodes, async (node) => {
    const left = (await containers.endpoints(node)).map(({ network }) => network);
    return {
      holds: left.length === 0,
      seen: left.length === 0 ? `${node} is in no network` : `${node} is in ${left.join(', ')}`,
    };
  });

/** How an attempt to reach nobody ends: at the proxy, at the port that is no longer published, or nowhere. */
const SILENT: readonly ProbeClass[] = ['refused', 'eof', 'reset', 'timeout', 'dns'];

/** Neither the load's path nor the direct one leads to a victim. */
export const sampleSilence = async (scene: ContainerScene, signal: AbortSignal): Promise<readonly EvidenceSample[]> => {
  const { victims, canaries, context } = scene;
  const direct = victims.brokers.map(async (broker): Promise<EvidenceSample> => {
    const baseline = canaries.find(({ node }) => node === broker.node)?.baseline ?? { medianMs: 0, p95Ms: 0 };
    const deadlineMs = probeDeadlineMs(baseline, SILENT);
    const result = await probeKafka(broker.direct, deadlineMs, signal, context.target.security);
    return {
      kind: 'effect',
      holds: SILENT.includes(result.class),
      seen: `${broker.node} directly: ${describeProbe(result)}`,
    };
  });
  const [advertised, ...others] = await Promise.all([sampleNodes(scene, SILENT, signal), ...direct]);
  return [...advertised, ...others];
};
