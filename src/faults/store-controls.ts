// The controls of a fault of single requests to the object store: the store past every proxy, the other path of the same node, the
// same path of another node, and of a faulted endpoint what the rules are not about.
import type { S3Operation } from '../s3-proxy/s3-operation.ts';
import type { StoreEndpoint, StoreProxies } from '../targets/target.ts';
import { type Control, storeControl } from './controls.ts';
import type { FaultContext } from './fault.ts';
import { PATIENT_MS } from './probes/baseline.ts';
import { type CanaryQuestion, StoreCanary } from './store-canary.ts';
import type { Victims } from './victim.ts';

export interface ChangedEndpoints {
  readonly proxies: StoreProxies;
  readonly endpoints: readonly StoreEndpoint[];
  readonly victims: Victims;
  /** The one operation that it is about; absent where it is about every one. */
  readonly op: S3Operation | undefined;
  /** How the keys of its canaries begin, with a slash at the end. */
  readonly keys: string;
  /** What its canaries read; controls on the same keys must not put anything else there. */
  readonly body: Buffer | undefined;
}

const endpointControl = async (
  { target }: FaultContext,
  endpoint: StoreEndpoint,
  {
    question,
    keys,
    body,
  }: { readonly question: CanaryQuestion; readonly keys: string; readonly body?: Buffer | undefined },
  signal: AbortSignal,
): Promise<Control | undefined> => {
  const store = target.can.objectStore;
  if (store === undefined) return undefined;
  const canary = new StoreCanary({ endpoint, store, prefix: keys, ...(body !== undefined && { body }) });
  await canary.open(signal);
  const baseline = await canary.baseline(question, signal);
  const name = `${canary.name}, ${question}`;
  return { name, node: endpoint.node, baseline, probe: async (own) => await canary.ask(question, PATIENT_MS, own) };
};

/** Another operation of the same endpoint on keys that its rule is about: what the rule must leave alone. */
const unmatched = (op: S3Operation | undefined): CanaryQuestion | undefined => {
  if (op === undefined) return undefined;
  return op === 'GetObject' ? 'HeadObject' : 'GetObject';
};

export const storeControls = async (
  context: FaultContext,
  { proxies: { all }, endpoints, victims, op, keys, body }: ChangedEndpoints,
  signal: AbortSignal,
): Promise<readonly Control[]> => {
  const [first] = endpoints;
  const isVictim = ({ node }: StoreEndpoint): boolean => victims.nodes.includes(node);
  const otherPath = all.find((each) => each.node === first?.node && each.path !== first.path);
  const otherNode = all.find((each) => each.path === first?.path && !isVictim(each));
  const elsewhere = { question: 'GetObject', keys: `${keys.slice(0, -1)}-control/` } as const;
  const question = unmatched(op);
  const controls = [
    await storeControl(context.target, context.runId, signal),
    ...(otherPath === undefined ? [] : [await endpointControl(context, otherPath, elsewhere, signal)]),
    ...(otherNode === undefined ? [] : [await endpointControl(context, otherNode, elsewhere, signal)]),
    ...(question === undefined || first === undefined
      ? []
      : [await endpointControl(context, first, { question, keys, body }, signal)]),
  ];
  return controls.filter((control): control is Control => control !== undefined);
};
