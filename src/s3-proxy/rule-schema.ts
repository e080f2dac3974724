// A rule as it is written: whom it is about, what it does to them, how often, and until when. The same document goes in, is kept,
// and comes back.
import { z } from 'zod';
import { InputError } from '../errors.ts';
import { actionSchema } from './actions/registry.ts';
import { matchSchema } from './rule-match.ts';

const DAY_MS = 24 * 3_600_000;

const ruleSchema = z
  .strictObject({
    /** Chosen by whoever adds it, so that it can be written down before it is added. */
    id: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,99}$/u,
        'Use up to 100 lower-case letters, digits, dots, hyphens and underscores.',
      ),
    /** A rule always dies by itself. */
    ttlMs: z.number().positive().max(DAY_MS),
    match: matchSchema.exactOptional(),
    action: actionSchema,
    /** Acts on so many requests at most. */
    count: z.int().min(1).exactOptional(),
    /** Acts on so many requests for one key (and part) at most. */
    perKey: z.int().min(1).exactOptional(),
    /** Acts on this share of the matches. */
    percent: z.number().gt(0).max(100).exactOptional(),
    /** Lets so many matches pass first. */
    afterMatches: z.int().min(0).exactOptional(),
    /** Decides `percent`, and which bits `corrupt` flips; that of the proxy where it is left out. */
    seed: z.int().min(0).exactOptional(),
  })
  .superRefine(({ match, action }, context) => {
    const measures = match?.minBytes !== undefined || match?.maxBytes !== undefined;
    if (measures && (action.kind === 'corrupt' || action.kind === 'truncate')) {
      const message = `minBytes and maxBytes measure what a request brings, and ${action.kind} acts on what comes back.`;
      context.addIssue({ code: 'custom', path: ['match'], message });
    }
    if ((match?.minBytes ?? 0) > (match?.maxBytes ?? Infinity)) {
      context.addIssue({ code: 'custom', path: ['match'], message: 'minBytes is more than maxBytes.' });
    }
  });

/** A rule, as JSON and as a value. */
export type RuleSpec = z.infer<typeof ruleSchema>;

/** Throws InputError (S3_PROXY_RULE) with every problem. */
export const parseRule = (document: unknown): RuleSpec => {
  const parsed = ruleSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${['rule', ...path].join('.')}: ${message}`);
  throw new InputError('S3_PROXY_RULE', problems.join(' '), {
    hint: 'docs/s3-proxy.md lists the fields of a rule; durations are in milliseconds, sizes in bytes.',
  });
};
