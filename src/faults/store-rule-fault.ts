// Faults of single requests to the object store, performed by rules of the S3 fault proxy: what all of them share. Each endpoint gets
// two rules that do the same: one for what its node asks, which never sees a canary, and one for the canary alone, which always acts
// on it. The counters of the first prove that the cluster was hit; the second shows what a caller sees.
import { systemClock } from '../clock.ts';
import type { ActionSpec } from '../s3-proxy/actions/registry.ts';
import type { ProxyCounters, RuleCounters } from '../s3-proxy/counters.ts';
import { connectS3Proxy } from '../s3-proxy/proxy-client.ts';
import type { RuleSpec } from '../s3-proxy/rule-schema.ts';
import type { S3Operation } from '../s3-proxy/s3-operation.ts';
import type { Address, NodeId, ObjectStoreAccess, StoreEndpoint, StoreProxies } from '../targets/target.ts';
import { type Control, needControls, noteBusyness, sampleControl, tellingControls } from './controls.ts';
import type {
  Begun,
  EvidenceSample,
  FaultContext,
  HealSample,
  PreparedFault,
  ProbeClass,
  UndoRecord,
  VictimSelector,
} from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { healError } from './heal-stack.ts';
import { type Baseline, isAsBefore, isWell, PATIENT_MS, probeDeadlineMs } from './probes/baseline.ts';
import { Busyness } from './probes/busyness.ts';
import { describeProbe } from './probes/probe.ts';
import { CANARY_KEYS, type CanaryQuestion, questionFor, type StoreAnswer, StoreCanary } from './store-canary.ts';
import { storeControls } from './store-controls.ts';
import { endpointsOf } from './store-endpoints.ts';
import type { StoreRuleParams } from './store-rule-params.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';
import { requireCapability, resolveVictims, type Victims } from './victim.ts';

const DAY_MS = 24 * 3_600_000;
/** Of a rule where nobody says how long the fault may last. */
const USUAL_LIFE_MS = 600_000;
const SEEDS = 2 ** 31;

/** Of which a canary saw an answer. */
export interface Asked {
  /** The canary's own rule. */
  readonly rule: string;
  readonly canary: StoreCanary;
  readonly store: ObjectStoreAccess;
  readonly baseline: Baseline;
  readonly signal: AbortSignal;
}

/** What the fault promises whoever asks. */
export interface StoreEffect {
  /** How an answer ends; anything else is no evidence. */
  readonly classes: readonly ProbeClass[];
  /** What more must be true of one that ended so. */
  readonly holds?: (answer: StoreAnswer, asked: Asked) => boolean | Promise<boolean>;
  /** The longest that an answer may take because of the fault, ms. */
  readonly longestMs?: number;
  /** How long it takes until it can be seen, ms, where that is not with the answer. */
  readonly shownAfterMs?: number;
  /** What canaries read and write; a few bytes where it is left out. */
  readonly body?: Buffer;
}

export interface StoreRuleRequest {
  readonly fault: UndoRecord['fault'];
  readonly context: FaultContext;
  readonly selector: VictimSelector;
  readonly where: StoreRuleParams;
  /** The operation it is about where the scenario names none. */
  readonly usualOp?: S3Operation;
  readonly action: ActionSpec;
  /** Acts on so many requests for one key at most. */
  readonly perKey?: number;
  /** What canaries ask, where that is not what the scenario's operation says. */
  readonly question?: CanaryQuestion;
  readonly effect: StoreEffect;
  /** Whether one rule's counters show that it did what it promises; that it acted, where it is left out. */
  readonly didSo?: (counters: RuleCounters) => boolean;
}

/** One endpoint and its two rules. */
interface Target {
  readonly endpoint: StoreEndpoint;
  readonly canary: StoreCanary;
  readonly baseline: Baseline;
  readonly rule: RuleSpec;
  readonly canaryRule: RuleSpec;
}

interface StoreRulePlan extends Omit<StoreRuleRequest, 'question'> {
  readonly victims: Victims;
  readonly store: ObjectStoreAccess;
  readonly question: CanaryQuestion;
  readonly targets: readonly Target[];
  readonly controls: readonly Control[];
  /** Admin API → when that proxy was started. */
  readonly startedAt: ReadonlyMap<string, string>;
  /** By the system clock. */
  readonly openedAtMs: number;
}

const adminKey = ({ host, port }: Address): string => `${host}:${port}`;

const isOver = ({ state, held }: RuleCounters): boolean => state !== 'active' && held === 0;

class StoreRuleFault implements PreparedFault {
  readonly victims: readonly NodeId[];
  readonly brokers: readonly number[];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly lookMs?: number;
  readonly #plan: StoreRulePlan;
  readonly #busyness = new Busyness();
  #actedBefore: number | undefined;

  constructor(plan: StoreRulePlan) {
    const { victims, targets, fault } = plan;
    this.#plan = plan;
    this.victims = victims.nodes;
    this.brokers = victims.brokers.map((broker) => broker.id);
    this.chosen = victims.chosen;
    const { shownAfterMs } = plan.effect;
    if (shownAfterMs !== undefined) this.lookMs = shownAfterMs + PATIENT_MS;
    const steps = this.#admins.map((admin) => ({
      do: 'remove-rules' as const,
      admin,
      rules: targets
        .filter(({ endpoint }) => adminKey(endpoint.admin) === adminKey(admin))
        .flatMap(({ rule, canaryRule }) => [rule.id, canaryRule.id]),
    }));
    this.undo = { fault, steps };
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }> {
    for (const { endpoint, rule, canaryRule } of this.#plan.targets) {
      signal.throwIfAborted();
      const proxy = connectS3Proxy(endpoint.admin);
      await proxy.addRule(rule);
      begun(`made a rule for ${endpoint.listener}`);
      await proxy.addRule(canaryRule);
    }
    return { answer: `made rules for ${this.#plan.targets.map(({ endpoint }) => endpoint.listener).join(', ')}` };
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const parts = await Promise.all([
      this.#mechanism(),
      ...this.#plan.targets.map(async (target) => [await this.#effect(target, signal)]),
      ...this.#controls().map(async (control) => [await sampleControl(control, signal)]),
    ]);
    return parts.flat();
  }

  async heal(signal: AbortSignal): Promise<void> {
    const problems = await performUndo([this.undo], reachOf(this.#plan.context.target), signal);
    for (const { canary } of this.#plan.targets) await canary.tidy(signal).catch(() => undefined);
    const error = healError(problems);
    if (error !== undefined) throw error;
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    const samples: HealSample[] = [await this.#rulesAreOver()];
    await noteBusyness(this.#busyness, this.#controls(), signal);
    // One after the other, as the baseline was taken: probes must not slow each other down.
    for (const { canary, baseline } of this.#plan.targets) {
      const answer = await canary.ask(this.#plan.question, PATIENT_MS, signal);
      const holds = isAsBefore(answer, baseline, this.#busyness.extraMs);
      const seen = `${canary.name}: ${describeProbe(answer)}`;
      samples.push({ kind: 'effect', holds, seen, ...(!holds && isWell(answer) && { isSlow: true }) });
    }
    await Promise.all(this.#plan.targets.map(async ({ canary }) => await canary.tidy(signal)));
    return samples;
  }

  close(): void {
    for (const control of this.#plan.controls) control.close?.();
  }

  get #admins(): readonly Address[] {
    const all = this.#plan.targets.map(({ endpoint }) => endpoint.admin);
    return all.filter((admin, index) => all.findIndex((each) => adminKey(each) === adminKey(admin)) === index);
  }

  #controls(): readonly Control[] {
    return tellingControls(this.#plan.controls, this.#plan.context, this.#plan.openedAtMs);
  }

  async #counters(): Promise<ReadonlyMap<string, ProxyCounters>> {
    const read = this.#admins.map(async (admin) => [adminKey(admin), await connectS3Proxy(admin).counters()] as const);
    return new Map(await Promise.all(read));
  }

  /** Each rule in force since it was made, and requests of the cluster on which they acted. */
  async #mechanism(): Promise<readonly EvidenceSample[]> {
    const { targets, startedAt, didSo = ({ acted }) => acted > 0 } = this.#plan;
    const counters = await this.#counters();
    const looks = targets.map(({ endpoint, rule }) => {
      const now = counters.get(adminKey(endpoint.admin));
      return { endpoint, now, own: now?.rules[rule.id] };
    });
    const gone = looks.filter(
      ({ endpoint, now, own }) => own?.state !== 'active' || now?.startedAt !== startedAt.get(adminKey(endpoint.admin)),
    );
    const told = looks.map(({ endpoint, own }) => `${endpoint.listener} ${own?.acted ?? 0} of ${own?.matched ?? 0}`);
    const holds = gone.length === 0 && looks.some(({ own }) => own !== undefined && didSo(own));
    const without = gone.map(
      ({ endpoint, own }) => `${endpoint.listener} has no such rule (${own?.state ?? 'unknown'})`,
    );
    const seen = gone.length > 0 ? without.join('; ') : `acted on requests that matched: ${told.join(', ')}`;
    return [{ kind: 'mechanism', holds, seen }];
  }

  async #effect({ canary, baseline, canaryRule }: Target, signal: AbortSignal): Promise<EvidenceSample> {
    const { question, effect, store } = this.#plan;
    const patience = probeDeadlineMs(baseline, effect.classes) + (effect.longestMs ?? 0);
    const answer = await canary.ask(question, patience, signal);
    const asked: Asked = { rule: canaryRule.id, canary, store, baseline, signal };
    const isSo = effect.classes.includes(answer.class) && (await (effect.holds?.(answer, asked) ?? true));
    const but = effect.classes.includes(answer.class) && !isSo ? ', and not as the rule has it' : '';
    return { kind: 'effect', holds: isSo, seen: `${canary.name}, ${question}: ${describeProbe(answer)}${but}` };
  }

  async #rulesAreOver(): Promise<HealSample> {
    const left = await leftOf(this.undo, reachOf(this.#plan.context.target));
    if (left.length > 0) return { kind: 'mechanism', holds: false, seen: left.map(({ what }) => what).join('; ') };
    const counters = await this.#counters();
    const own = this.#plan.targets.flatMap(({ endpoint, rule, canaryRule }) =>
      [rule, canaryRule].flatMap(({ id }) => counters.get(adminKey(endpoint.admin))?.rules[id] ?? []),
    );
    const acted = own.reduce((sum, each) => sum + each.acted, 0);
    const isStill = this.#actedBefore === undefined || this.#actedBefore === acted;
    this.#actedBefore = acted;
    const seen = `no rule is in force, and their counters ${isStill ? 'stand' : 'still move'} at ${acted}`;
    return { kind: 'mechanism', holds: isStill && own.every(isOver), seen };
  }
}

/** What the requests of the cluster meet, and what those of the canary do. */
const rulesFor = (
  request: StoreRuleRequest,
  endpoint: StoreEndpoint,
  index: number,
  keys: string,
): Pick<Target, 'rule' | 'canaryRule'> => {
  const { context, fault, where, usualOp, action, perKey } = request;
  const { op = usualOp, keyPrefix, keyGlob, minSize, maxSize } = where.match;
  const id = `${toxicPrefix(context)}-${context.faultId ?? fault}-${index + 1}`;
  const ttlMs = Math.min(DAY_MS, context.lifeMs ?? USUAL_LIFE_MS);
  const asked = request.question ?? (op === undefined ? undefined : questionFor(op));
  const match = {
    listener: endpoint.listener,
    notKeyPrefix: CANARY_KEYS,
    ...(op !== undefined && { op }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(keyGlob !== undefined && { keyGlob }),
    ...(minSize !== undefined && { minBytes: minSize }),
    ...(maxSize !== undefined && { maxBytes: maxSize }),
  };
  const canaryMatch = { listener: endpoint.listener, keyPrefix: keys, ...(asked !== undefined && { op: asked }) };
  return {
    rule: {
      id,
      ttlMs,
      match,
      action,
      percent: where.percent,
      seed: context.random.integer(SEEDS),
      ...(perKey !== undefined && { perKey }),
    },
    canaryRule: { id: `${id}c`, ttlMs, match: canaryMatch, action },
  };
};

const openTargets = async (
  request: StoreRuleRequest,
  endpoints: readonly StoreEndpoint[],
  {
    store,
    question,
    keys,
  }: { readonly store: ObjectStoreAccess; readonly question: CanaryQuestion; readonly keys: string },
  signal: AbortSignal,
): Promise<readonly Target[]> => {
  const { effect } = request;
  const targets: Target[] = [];
  for (const [index, endpoint] of endpoints.entries()) {
    const canary = new StoreCanary({
      endpoint,
      store,
      prefix: keys,
      ...(effect.body !== undefined && { body: effect.body }),
    });
    await canary.open(signal);
    const baseline = await canary.baseline(question, signal);
    await canary.tidy(signal);
    targets.push({ endpoint, canary, baseline, ...rulesFor(request, endpoint, index, keys) });
  }
  return targets;
};

const startTimes = async (endpoints: readonly StoreEndpoint[]): Promise<ReadonlyMap<string, string>> => {
  const times = new Map<string, string>();
  for (const { admin } of endpoints) {
    if (!times.has(adminKey(admin))) times.set(adminKey(admin), (await connectS3Proxy(admin).counters()).startedAt);
  }
  return times;
};

/** Opens canaries and controls and takes baselines; no rule is made yet. */
export const prepareStoreRuleFault = async (request: StoreRuleRequest, signal: AbortSignal): Promise<PreparedFault> => {
  const { fault, context, selector, where, usualOp } = request;
  const { target } = context;
  const proxies: StoreProxies = requireCapability(target.can.storeProxy, 'S3 fault proxy', target);
  const store = requireCapability(target.can.objectStore, 'object store', target);
  const victims = await resolveVictims(context, selector, signal);
  const endpoints = endpointsOf(proxies, where.path, victims, target);
  const openedAtMs = systemClock.now();
  const op = where.match.op ?? usualOp;
  const question = request.question ?? (op === undefined ? undefined : questionFor(op)) ?? 'PutObject';
  const keys = `${CANARY_KEYS}${context.runId}/${context.faultId ?? fault}/`;
  const startedAt = await startTimes(endpoints);
  const targets = await openTargets(request, endpoints, { store, question, keys }, signal);
  const controls = await storeControls(
    context,
    { proxies, endpoints, victims, op, keys, body: request.effect.body },
    signal,
  );
  return new StoreRuleFault({
    ...request,
    victims,
    store,
    question,
    targets,
    controls: needControls(controls, fault),
    startedAt,
    openedAtMs,
  });
};
