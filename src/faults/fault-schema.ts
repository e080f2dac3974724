// The strict YAML shape of one entry of a scenario's `faults:`, built from the registry, and what it means once read. Keys
// nobody knows, bare numbers and missing permissions are problems of their own place; all are reported together.
import { z } from 'zod';
import { InternalError, suggestName } from '../errors.ts';
import type { FaultName } from '../vocabulary.ts';
import { withBackend } from './backend-choice.ts';
import type { BackendName, FaultDeclaration, VictimSelector } from './fault.ts';
import { FAULT_REGISTRY } from './registry.ts';
import { unionMessage } from './union-message.ts';
import { durationField } from './unit-fields.ts';
import { victimSchema } from './victim-schema.ts';

export { durationField, percentField, rateField, sizeField } from './unit-fields.ts';

/** When a fault begins: after the workload's steady part began, at an acknowledged record, or within a replay pass. */
export type FaultMoment =
  | { readonly kind: 'time'; readonly offsetMs: number }
  | { readonly kind: 'acks'; readonly count: number }
  | { readonly kind: 'pass'; readonly pass: 'full' | 'cold'; readonly offsetMs: number };

/** One fault of a scenario, every field resolved. */
export interface FaultSpec {
  readonly fault: FaultName;
  readonly victim: VictimSelector;
  readonly at: FaultMoment;
  /** Absent for a fault that ends by itself. */
  readonly durationMs?: number;
  /** As the fault's own `params` shape reads them: durations in milliseconds, sizes in bytes. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly backend: 'auto' | BackendName;
  readonly confirm: { readonly timeoutMs: number; readonly require: 'all' | 'mechanism' };
  readonly heal: { readonly timeoutMs: number };
  readonly allow: readonly string[];
}

const momentSchema = z.union(
  [
    durationField().transform((offsetMs): FaultMoment => ({ kind: 'time', offsetMs })),
    z
      .strictObject({ afterAcks: z.int().min(1) })
      .transform(({ afterAcks }): FaultMoment => ({ kind: 'acks', count: afterAcks })),
    z
      .strictObject({ pass: z.enum(['full', 'cold']), offset: durationField().prefault('0s') })
      .transform(({ pass, offset }): FaultMoment => ({ kind: 'pass', pass, offsetMs: offset })),
  ],
  { error: unionMessage('Write when the fault begins: 10s, {afterAcks: 5000} or {pass: cold, offset: 1s}.') },
);

const confirmSchema = z
  .strictObject({
    timeout: durationField({ min: '500ms', max: '10m' }).prefault('10s'),
    require: z.enum(['all', 'mechanism']).prefault('all'),
  })
  .transform(({ timeout, require }) => ({ timeoutMs: timeout, require }))
  .prefault({});

const healSchema = z
  .strictObject({ timeout: durationField({ min: '1s', max: '10m' }).prefault('30s') })
  .transform(({ timeout }) => ({ timeoutMs: timeout }))
  .prefault({});

// Schemas that many faults have in common are made once: making one takes longer than a whole scenario takes to check.
const lastingSchema = durationField({ min: '100ms', max: '24h' });
const endsByItselfSchema = z.never({ error: 'This fault ends by itself; leave `duration` out.' }).optional();
const nothingAllowedSchema = z
  .array(z.enum(['nothing'], { error: 'This fault needs no permission; leave `allow` out.' }))
  .prefault([]);

const unknownPermission = (written: unknown, known: readonly string[]): string =>
  typeof written === 'string'
    ? `"${written.slice(0, 60)}" is not allowed here. ${suggestName(written, known)}`
    : `Known: ${known.join(', ')}.`;

/** `allow` of a fault: every opt-in it needs, and none it does not know. */
const allowSchema = (declaration: FaultDeclaration): z.ZodType<string[]> => {
  const needed = declaration.needsAllow ?? [];
  const known = [...needed, ...(declaration.mayAllow ?? [])];
  if (known.length === 0) return nothingAllowedSchema;
  return z
    .array(z.enum(known as [string, ...string[]], { error: ({ input }) => unknownPermission(input, known) }))
    .prefault([])
    .superRefine((given, context) => {
      for (const permission of needed.filter((wanted) => !given.includes(wanted))) {
        context.addIssue({
          code: 'custom',
          message: `${declaration.kind} needs "allow: [${permission}]", so that nobody runs it by accident.`,
        });
      }
    });
};

const objectSchema = (declaration: FaultDeclaration) => {
  const victim = victimSchema(declaration.victims);
  const params = z.strictObject(declaration.params).superRefine((given, context) => {
    const message = declaration.problem?.(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
  const { defaultVictim, duration } = declaration;
  // Without Zod's compiled parsers: each schema reads one document, and compiling costs more than it saves.
  const paramsAreOptional = params.safeParse({}, { jitless: true }).success;
  return z.strictObject({
    fault: z.literal(declaration.kind).meta({ description: declaration.summary }),
    victim: defaultVictim === undefined ? victim : victim.optional(),
    at: momentSchema,
    duration: duration === 'required' ? lastingSchema : endsByItselfSchema,
    params: paramsAreOptional ? params.prefault({}) : params,
    backend: z.enum(['auto', ...declaration.backends]).prefault('auto'),
    confirm: confirmSchema,
    heal: healSchema,
    allow: allowSchema(declaration),
  });
};

const unknownFault = (issue: z.core.$ZodRawIssue): string => {
  const written: unknown = issue.input;
  const name = typeof written === 'object' && written !== null && 'fault' in written ? written.fault : undefined;
  const known = FAULT_REGISTRY.map((declaration) => declaration.kind);
  if (typeof name !== 'string') return `A fault needs a name: {fault: process-kill, …}. ${suggestName('', known)}`;
  return `There is no fault named "${name}". ${suggestName(name, known)}`;
};

type WrittenEntry = z.output<ReturnType<typeof objectSchema>>;

const specOf = (entry: WrittenEntry, declaration: FaultDeclaration): FaultSpec => {
  const victim = entry.victim ?? declaration.defaultVictim;
  if (victim === undefined)
    throw new InternalError('FAULT_WITHOUT_VICTIM', `${entry.fault} passed its schema without a victim.`);
  return {
    fault: declaration.kind,
    victim,
    at: entry.at,
    ...(entry.duration === undefined ? {} : { durationMs: entry.duration }),
    params: declaration.backends.length > 1 ? withBackend(entry.params, entry.backend) : entry.params,
    backend: entry.backend,
    confirm: entry.confirm,
    heal: entry.heal,
    allow: entry.allow,
  };
};

/** The schema of one entry of `faults:`, for the faults given. */
const faultSchemaOf = (declarations: readonly FaultDeclaration[]): z.ZodType<FaultSpec> => {
  const [first, ...others] = declarations.map(objectSchema);
  if (first === undefined) throw new InternalError('NO_FAULTS', 'A fault schema needs at least one fault.');
  return z.discriminatedUnion('fault', [first, ...others], { error: unknownFault }).transform((entry, context) => {
    const declaration = declarations.find((candidate) => candidate.kind === entry.fault);
    if (declaration !== undefined) {
      const spec = specOf(entry, declaration);
      const message = declaration.mismatch?.(spec.victim, spec.params);
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['victim'] });
      return spec;
    }
    context.addIssue({ code: 'custom', message: `There is no fault named "${entry.fault}".` });
    return z.NEVER;
  });
};

/** The schema of one entry of a scenario's `faults:`. */
export const faultSchema: z.ZodType<FaultSpec> = faultSchemaOf(FAULT_REGISTRY);
