// The canary of a node that a process fault hits: a broker by its advertised address (the load's own path) while that is well,
// the controller by the address that brokers dial, object store and volume by a link.
import { EnvironmentError } from '../errors.ts';
import type { Address, BrokerNode, NodeId, StartedTarget } from '../targets/target.ts';
import { openLinkCanary } from './link-canary.ts';
import { type Baseline, takeBaseline } from './probes/baseline.ts';
import { probeHttp } from './probes/http-probe.ts';
import { probeKafka } from './probes/kafka-connection.ts';
import type { ProbeResult } from './probes/probe.ts';

const BASELINE_DEADLINE_MS = 2000;

export interface NodeCanary {
  readonly node: NodeId;
  readonly baseline: Baseline;
  /** On a new connection each time. */
  probe(deadlineMs: number, signal: AbortSignal): Promise<ProbeResult>;
}

type Probe = NodeCanary['probe'];

const withBaseline = async (node: NodeId, probe: Probe, signal: AbortSignal): Promise<NodeCanary> => ({
  node,
  baseline: await takeBaseline(node, async () => await probe(BASELINE_DEADLINE_MS, signal)),
  probe,
});

/** The load's own path, or the direct one where another fault has taken that already: it could show nothing more. */
const addressToProbe = async (
  broker: BrokerNode,
  { security }: StartedTarget,
  signal: AbortSignal,
): Promise<Address> => {
  const result = await probeKafka(broker.advertised, BASELINE_DEADLINE_MS, signal, security);
  return result.class === 'ok' ? broker.advertised : broker.direct;
};

const brokerCanary = async (broker: BrokerNode, target: StartedTarget, signal: AbortSignal): Promise<NodeCanary> => {
  const address = await addressToProbe(broker, target, signal);
  const probe: Probe = async (deadlineMs, own) => await probeKafka(address, deadlineMs, own, target.security);
  return await withBaseline(broker.node, probe, signal);
};

/** Past the links, so that the answer is the controller's own. */
const controllerCanary = async (target: StartedTarget, node: NodeId, signal: AbortSignal): Promise<NodeCanary> => {
  const controller = target.controllers?.find((each) => each.node === node);
  if (controller !== undefined) {
    return await withBaseline(node, async (ms, own) => await probeKafka(controller.direct, ms, own), signal);
  }
  const link = target.can.links?.all.find(
    ({ path, peer }) => path === 'controller' && (peer === undefined || peer === node),
  );
  if (link === undefined) {
    throw new EnvironmentError('FAULT_NO_CANARY', `Nobody can see from outside whether ${node} answers.`, {
      hint: 'Hit a broker instead.',
    });
  }
  const address = link.upstream;
  const probe: Probe = async (deadlineMs, own) => {
    if (link.speaks === 'kafka') return await probeKafka(address, deadlineMs, own);
    const result = await probeHttp({ address, method: 'GET', path: '/', deadlineMs }, own);
    return result.class.startsWith('http:') ? { ...result, class: 'ok' } : result;
  };
  return await withBaseline(node, probe, signal);
};

const storeCanary = async (
  target: StartedTarget,
  node: NodeId,
  runId: string,
  signal: AbortSignal,
): Promise<NodeCanary> => {
  const path = node === 'volume' ? 'wal' : 's3-data';
  const link = target.can.links?.all.find((each) => each.path === path);
  if (link === undefined) {
    throw new EnvironmentError('FAULT_NO_CANARY', `No link leads to ${node}, so nobody can see it as brokers do.`, {
      hint: 'Use a target whose proxies lie before that node, or choose another victim.',
    });
  }
  const canary = await openLinkCanary(link, target, runId, signal);
  return { node, baseline: canary.baseline, probe: async (deadlineMs, own) => await canary.probe(deadlineMs, own) };
};

/** Opens the canary of any node and takes its baseline. */
export const openNodeCanary = async (
  node: NodeId,
  target: StartedTarget,
  runId: string,
  signal: AbortSignal,
): Promise<NodeCanary> => {
  const broker = target.brokers.find((each) => each.node === node);
  if (broker !== undefined) return await brokerCanary(broker, target, signal);
  if (node.startsWith('controller')) return await controllerCanary(target, node, signal);
  return await storeCanary(target, node, runId, signal);
};
