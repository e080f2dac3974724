// run.json as a report goes by it. It is foreign text: whoever attaches a run may have written anything there, so each field that
// is shown has its shape checked once. Fields that nobody here knows are kept, since newer versions may add some; results of parts
// are judged again from the files of the run, and what is kept of theirs here is compared only.
import { z } from 'zod';

const text = z.string();
const number = z.number();
const texts = z.array(text);
const textByName = z.record(text, text);
const fault = z.looseObject({
  id: text,
  fault: text,
  victims: texts,
  chosen: text,
  state: text,
  appliedAt: number.optional(),
  plannedAt: number.optional(),
  lateMs: number.optional(),
  lateBecause: text.optional(),
  confirmedAt: number.optional(),
  healingAt: number.optional(),
  healedAt: number.optional(),
  require: z.enum(['mechanism', 'all']),
  confirmed: z.boolean(),
  reason: text.optional(),
  evidence: z.array(
    z.looseObject({ kind: z.enum(['mechanism', 'effect', 'control']), holds: z.boolean(), seen: text }),
  ),
  capacities: z
    .array(
      z.looseObject({
        node: text,
        trigger: text,
        partitions: number,
        steps: z.array(z.looseObject({ step: text, afterMs: number })),
        copiedBytes: number.optional(),
      }),
    )
    .optional(),
  ackedInWindow: number.optional(),
  attemptedInWindow: number.optional(),
  exposure: z.array(z.looseObject({ partition: number, lastAckAgeMs: number.optional(), silencedBy: text.optional() })),
});

const pass = z.looseObject({
  pass: text,
  client: text,
  records: number,
  ms: number,
  sources: z.looseObject({ objectBytes: number, walBytes: number, cacheBytes: number }).optional(),
  coldOffsets: number.optional(),
  uncoveredOffsets: number.optional(),
});

/** A part's folder is one of the run's own, whatever the file says. */
const FOLDERS = { preflight: 'preflight', control: 'control', main: '.' } as const;

const part = z
  .looseObject({
    part: z.enum(['preflight', 'control', 'main']),
    directory: text,
    topic: text,
    partitions: number,
    phases: z.array(z.looseObject({ phase: text, from: number, to: number.optional() })),
    faults: z.array(fault),
    passes: z.array(pass),
    result: z
      .looseObject({
        judgement: z.looseObject({ verdict: text, because: text, judgeVersion: text }),
        boundResults: z.array(z.looseObject({})),
        availability: z.array(z.looseObject({})),
      })
      .optional(),
  })
  .refine(({ part: name, directory }) => FOLDERS[name] === directory, {
    error: 'the folder of a part is its own.',
    path: ['directory'],
  });

export const runRecordSchema = z.looseObject({
  tool: z.looseObject({ name: text, version: text }),
  runId: text,
  scenario: z.looseObject({ name: text, claim: text, file: text, digest: text }),
  target: z.looseObject({ kind: text, name: text, fingerprint: textByName }),
  contract: z.looseObject({
    acks: z.union([text, number]),
    minInSyncReplicas: number,
    boundary: text,
    deliveryTimeoutMs: number,
    survives: texts,
    profile: text,
    allow: z.array(z.looseObject({})),
    forbid: texts,
  }),
  bounds: z.looseObject({ recoverWithinMs: number.optional(), longestGapMs: number.optional() }),
  workload: textByName,
  defects: texts,
  baseline: z.boolean(),
  seed: number,
  environment: textByName,
  wallStart: text,
  wallEnd: text.optional(),
  parts: z.array(part),
  ended: z.enum(['running', 'complete', 'interrupted', 'error']),
  errors: texts,
  heal: z.enum(['clean', 'failed']),
  verdict: z.enum(['pass', 'fail', 'inconclusive']).optional(),
  because: text.optional(),
  exitCode: number.optional(),
  reproduce: z.looseObject({ run: text, judge: text }),
});
