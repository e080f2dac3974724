// Losing answers and losing requests look the same from the sender's side: no reply. What tells them apart is whether the write
// took effect, so the canary of both writes through the faulted link and looks for its write on a direct path.
import { systemClock } from '../clock.ts';
import { EnvironmentError, InternalError } from '../errors.ts';
import type { Link, ObjectStoreAccess } from '../targets/target.ts';
import type { ToxicSpec } from './backends/toxiproxy.ts';
import { CanaryTopic } from './canary-topic.ts';
import type { EvidenceSample, FaultContext, PreparedFault, ProbeClass, UndoRecord, VictimSelector } from './fault.ts';
import type { LossPath } from './fault-params.ts';
import { seenWithin } from './late-look.ts';
import { canaryKey } from './link-canary.ts';
import { type EffectProbe, linksOf, prepareLinkFault } from './link-fault.ts';
import { probeDeadlineMs } from './probes/baseline.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';
import { probeStore } from './probes/store-probe.ts';
import { requireCapability, resolveLinkVictims, type Victims } from './victim.ts';

/** How long a write whose answer did not come is looked for. */
const LATE_MS = 1000;

interface Written {
  readonly answer: ProbeResult;
  readonly tookEffect: boolean;
}

/** Writes through a link and says both what came back and what became of it. */
interface WriteCanary {
  write(link: Link, deadlineMs: number, signal: AbortSignal): Promise<Written>;
  /** Puts away what it wrote where the run knows nothing of it. */
  tidy?(signal: AbortSignal): Promise<void>;
}

/** What came through the path under test is no word on what became of a write. */
const assertSeenPast = ({ brokers }: Victims): void => {
  const blind = brokers.find(
    ({ advertised, direct }) => advertised.host === direct.host && advertised.port === direct.port,
  );
  if (blind === undefined) return;
  throw new EnvironmentError(
    'FAULT_NO_DIRECT',
    `${blind.node} cannot be asked past its proxy what became of a write.`,
    {
      hint: 'Name a listener past the proxies as directServers in the target file.',
    },
  );
};

const topicCanary = async (context: FaultContext, victims: Victims, signal: AbortSignal): Promise<WriteCanary> => {
  assertSeenPast(victims);
  const topic = await CanaryTopic.create(context, victims.brokers, signal);
  return {
    write: async (link, deadlineMs, own) => {
      const broker = victims.brokers.find((each) => each.node === link.node);
      if (broker === undefined) throw new InternalError('FAULT_NO_BROKER', `${link.node} is no broker.`);
      return await topic.write(broker, link.listen, deadlineMs, own);
    },
  };
};

const objectCanary = (store: ObjectStoreAccess, runId: string): WriteCanary => {
  let written = 0;
  const keys: string[] = [];
  return {
    write: async (link, deadlineMs, own) => {
      const key = canaryKey(runId, `${link.proxy}-${++written}`);
      keys.push(key);
      const body = Buffer.from(key);
      const answer = await probeStore(store, { address: link.listen, method: 'PUT', key, body, deadlineMs }, own);
      const look = async (): Promise<boolean> => (await store.get(key, own)) !== undefined;
      return { answer, tookEffect: await seenWithin(systemClock, LATE_MS, look, own) };
    },
    tidy: async (own) => {
      await Promise.all(keys.map(async (key) => await store.remove(key, own)));
    },
  };
};

const openWriteCanary = async (
  context: FaultContext,
  path: LossPath,
  victims: Victims,
  signal: AbortSignal,
): Promise<WriteCanary> => {
  if (path === 'client') return await topicCanary(context, victims, signal);
  const store = requireCapability(context.target.can.objectStore, 'object store', context.target);
  return objectCanary(store, context.runId);
};

/** Before the fault a write must be answered and take effect, or the canary could not tell anything. */
const checkCanary = async (canary: WriteCanary, links: readonly Link[], signal: AbortSignal): Promise<void> => {
  for (const link of links) {
    const { answer, tookEffect } = await canary.write(link, 5000, signal);
    if (answer.class === 'ok' && tookEffect) continue;
    throw new EnvironmentError(
      'CANARY_BASELINE',
      `A write through ${link.proxy} was not well before the fault: ${describeProbe(answer)}.`,
      { hint: 'See that the cluster takes writes through that proxy before anything is broken.' },
    );
  }
};

export interface LossPlan {
  readonly fault: UndoRecord['fault'];
  readonly context: FaultContext;
  readonly selector: VictimSelector;
  readonly path: LossPath;
  readonly toxics: readonly ToxicSpec[];
  /** How a write ends for its sender. */
  readonly classes: readonly ProbeClass[];
  /** Whether it takes effect all the same. */
  readonly takesEffect: boolean;
}

const lossEffect =
  (plan: LossPlan, canary: WriteCanary): EffectProbe =>
  async ({ link, baseline }, signal) => {
    const { answer, tookEffect } = await canary.write(link, probeDeadlineMs(baseline, plan.classes), signal);
    const sample: EvidenceSample = {
      kind: 'effect',
      holds: plan.classes.includes(answer.class) && tookEffect === plan.takesEffect,
      seen: `a write through ${link.proxy}: ${describeProbe(answer)}, ${tookEffect ? 'took' : 'took no'} effect`,
    };
    return [sample];
  };

export const prepareLoss = async (plan: LossPlan, signal: AbortSignal): Promise<PreparedFault> => {
  const { context, path } = plan;
  const victims = await resolveLinkVictims(context, plan.selector, signal);
  const links = linksOf(context.target, path, victims);
  const canary = await openWriteCanary(context, path, victims, signal);
  await checkCanary(canary, links, signal);
  return await prepareLinkFault(
    {
      fault: plan.fault,
      context,
      victims,
      path,
      change: { enabled: true, toxics: plan.toxics },
      effect: lossEffect(plan, canary),
      tidy: async (own) => await canary.tidy?.(own),
    },
    signal,
  );
};
