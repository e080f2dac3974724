// What a fault takes and a target does not have, and what to do about it: by the kind of the target before anything is started, and
// by what a project that is attached to turned out to have.
import { EnvironmentError } from '../errors.ts';
import { faultDefinition } from '../faults/definitions.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { LICENSES } from '../targets/external-spec.ts';
import { offersOf, pathsOf } from '../targets/registry.ts';
import type { PathName, StartedTarget } from '../targets/target.ts';
import { type TargetSpec, targetSpecSchema } from '../targets/target-spec.ts';

/** A fault as far as it could be read: without `params` only what it always takes is asked for. */
export type AskedFault = Pick<FaultSpec, 'fault' | 'backend'> & Partial<Pick<FaultSpec, 'params'>>;

/** What a backend takes that the fault itself does not. */
const BACKEND_NEEDS: Readonly<Partial<Record<FaultSpec['backend'], string>>> = {
  netns: 'containers',
  's3-proxy': 'storeProxy',
  volume: 'volumeIo',
};

/** Of what a fault takes, what the target does not offer. */
const missingOf = (fault: AskedFault, target: TargetSpec): readonly string[] => {
  const offers: readonly string[] = offersOf(target);
  const definition = faultDefinition(fault.fault);
  const byBackend = BACKEND_NEEDS[fault.backend];
  const { orElse } = definition ?? {};
  const mayElse = fault.backend === 'auto' || byBackend === orElse;
  if (orElse !== undefined && mayElse && offers.includes(orElse)) return [];
  const needs: readonly string[] = [...(definition?.requires ?? []), ...(byBackend === undefined ? [] : [byBackend])];
  const either = definition?.requiresOneOf ?? [];
  const missing = [
    ...needs.filter((capability) => !offers.includes(capability)),
    ...(either.length === 0 || either.some((each) => offers.includes(each)) ? [] : [either.join(' or ')]),
  ];
  // What drops packets needs no proxy.
  if (missing.length > 0 || fault.backend === 'netns' || fault.params === undefined) return missing;
  const paths = (definition?.paths?.(fault.params) ?? []).filter((path) => !pathsOf(target).includes(path));
  return paths.map(proxyOn);
};

const proxyOn = (path: PathName): string => `a proxy on the path ${path}`;

/** Targets that need no file to be described. */
const KINDS = ['compose', 'embedded', 'process'] as const;

const kindsThatOffer = (fault: AskedFault): readonly string[] =>
  KINDS.filter((kind) => missingOf(fault, targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind })).length === 0);

const adviceOn = (fault: AskedFault, target: TargetSpec, missing: readonly string[]): string => {
  if (missing.includes(proxyOn('wal')) || missing.includes('volumeIo'))
    return 'Use an embedded target with wal: block or wal: nfs.';
  if (missing.includes(proxyOn('s3-wal')) && target.kind === 'embedded') return 'Use an embedded target with wal: s3.';
  const kinds = kindsThatOffer(fault);
  const others = kinds.length === 0 ? '' : `Use a target of kind ${kinds.join(' or ')}`;
  if (BACKEND_NEEDS[fault.backend] !== undefined) return `${others}, or leave \`backend: ${fault.backend}\` out.`;
  if (fault.fault === 'command') return 'Name its programs under `commands` in the file of an external target.';
  if (target.kind !== 'external' || LICENSES.includes(fault.fault)) return others === '' ? '' : `${others}.`;
  return `Name programs for it under \`commands\` in the target file${others === '' ? '' : `, or u${others.slice(1)}`}.`;
};

/** In a sentence or two, with what to do; undefined where the target has all that it takes. */
export const whyUnsupported = (fault: AskedFault, target: TargetSpec): string | undefined => {
  const missing = missingOf(fault, target);
  if (missing.length === 0) return undefined;
  const lacks = `${fault.fault} needs ${missing.join(', ')}, which a target of kind "${target.kind}" does not offer.`;
  return `${lacks} ${adviceOn(fault, target, missing)}`.trimEnd();
};

/**
 * Before any load, what could only fail amid it: the cluster has no proxy at all on a path that a fault is about.
 * @throws EnvironmentError that names the first such fault.
 */
export const refuseWithoutProxies = (
  faults: readonly FaultSpec[],
  { can, description }: Pick<StartedTarget, 'can' | 'description'>,
): void => {
  for (const { fault, params, backend } of faults) {
    const definition = faultDefinition(fault);
    const canDoWithout = (definition?.backends.length ?? 0) > 1 && backend !== 'toxiproxy';
    const needs = canDoWithout ? [] : (definition?.paths?.(params) ?? []);
    const isByRules = definition?.requires.includes('storeProxy') === true;
    const ways: readonly { readonly path: PathName }[] = (isByRules ? can.storeProxy : can.links)?.all ?? [];
    const missing = needs.find((path) => !ways.some((way) => way.path === path));
    if (missing === undefined) continue;
    throw new EnvironmentError(
      'FAULT_NO_LINK',
      `${fault} acts on a proxy of the path ${missing}, and "${description.name}" has none.`,
      {
        hint: `Put ${isByRules ? 'an S3 fault proxy' : 'a Toxiproxy'} on that path, or take a fault that needs none: ackproof list faults.`,
      },
    );
  }
};
