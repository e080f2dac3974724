// A price file: what the reader pays for requests, bytes and capacity. ackproof counts, the reader prices; nothing here is a default.
import { z } from 'zod';
import { ManyProblems } from '../errors.ts';
import { parseDocumentWith } from './schema-problems.ts';
import { readSource } from './source-text.ts';
import { readYaml } from './yaml-document.ts';

const price = z.number({ error: 'a price is a number ≥ 0, in the currency of the file.' }).nonnegative();

const priceFileSchema = z.strictObject({
  apiVersion: z.literal('ackproof/v1'),
  kind: z.literal('prices'),
  /** As it is shown: EUR, USD … */
  currency: z.string().min(1).max(12),
  /** For 1,000 requests of an operation by its name in the S3 API, like PutObject. */
  per1000Requests: z.record(z.string(), price).default({}),
  /** For each GiB to the store and from it. */
  perGiB: z.strictObject({ toStore: price.default(0), fromStore: price.default(0) }).prefault({}),
  /** For each GiB that is kept for a month. */
  perGiBMonth: price.exactOptional(),
});

/** Throws ManyProblems with the place of each mistake. */
export const readPriceFile = (file: string): z.infer<typeof priceFileSchema> => {
  const source = readSource(file, 'price file');
  if ('problem' in source) throw new ManyProblems([source.problem]);
  const parsed = parseDocumentWith(readYaml(file, source.text), priceFileSchema, 'PRICES');
  if ('problems' in parsed) throw new ManyProblems(parsed.problems);
  return parsed.value;
};
