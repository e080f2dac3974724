// What faults of single requests to the object store share of their parameters: on which path, which requests, and how many of them.
import { z } from 'zod';
import { S3_OPERATIONS, type S3Operation } from '../s3-proxy/s3-operation.ts';
import { backendOf } from './backend-choice.ts';
import { percentField, sizeField } from './unit-fields.ts';

const matchField = z
  .strictObject({
    op: z.enum(S3_OPERATIONS).exactOptional(),
    keyPrefix: z.string().min(1).exactOptional(),
    /** `*` is any run of characters, slashes too; `?` is one. */
    keyGlob: z.string().min(1).max(1024).exactOptional(),
    /** Of the payload that a request brings. */
    minSize: sizeField().exactOptional(),
    maxSize: sizeField().exactOptional(),
  })
  .prefault({});

/** Which requests of a path. */
export const WHICH_REQUESTS = {
  match: matchField,
  /** Of the requests that match. */
  percent: percentField({ min: '0.01%', max: '100%' }).prefault('100%'),
};

export const STORE_RULE_PARAMS = {
  path: z.enum(['s3-data', 's3-wal']).prefault('s3-data'),
  ...WHICH_REQUESTS,
};

export type StoreRuleParams = z.infer<z.ZodObject<typeof STORE_RULE_PARAMS>>;
export type WhichRequests = Omit<StoreRuleParams, 'path'>;

/** Whether some requests of the path are left alone: then a proxy of connections cannot do it. */
export const isSelective = ({ match, percent }: WhichRequests): boolean =>
  percent < 100 || Object.keys(match).length > 0;

/** Why a proxy of connections cannot do what was asked of it, if so. */
export const backendProblem = (which: WhichRequests): string | undefined =>
  backendOf(which) === 'toxiproxy' && isSelective(which)
    ? 'Toxiproxy knows no requests, so it can be about no match and no percent; leave `backend` out, or say s3-proxy.'
    : undefined;

/** Operations after which the store has something that it had not before, or has not any more what it had. */
const CHANGES = [
  'AbortMultipart',
  'CompleteMultipart',
  'CopyObject',
  'CreateMultipart',
  'DeleteObject',
  'DeleteObjects',
  'PutObject',
  'UploadPart',
] as const satisfies readonly S3Operation[];
const UPLOADS = ['PutObject', 'UploadPart'] as const satisfies readonly S3Operation[];
const DOWNLOADS = ['GetObject'] as const satisfies readonly S3Operation[];

/** Why no request can match, or the fault can do nothing to those that do. */
const problemUnlessOneOf =
  (operations: readonly S3Operation[], what: string) =>
  (where: StoreRuleParams): string | undefined => {
    const { op } = where.match;
    if (op === undefined || operations.includes(op)) return matchProblem(where);
    return `match.op: ${op} is no ${what}. Known: ${operations.join(', ')}.`;
  };

export const changeProblem = problemUnlessOneOf(CHANGES, 'operation that changes something');
export const uploadProblem = problemUnlessOneOf(UPLOADS, 'upload');

/** What comes back has no size before it comes. */
export const downloadProblem = (where: StoreRuleParams): string | undefined => {
  const { minSize, maxSize } = where.match;
  if (minSize !== undefined || maxSize !== undefined) {
    return 'match.minSize and match.maxSize are about what a request brings, and this is about what comes back.';
  }
  return problemUnlessOneOf(DOWNLOADS, 'download')(where);
};

/** Why no request can match, if so. */
export const matchProblem = ({ match: { minSize = 0, maxSize = Infinity } }: WhichRequests): string | undefined =>
  minSize > maxSize ? 'match.minSize is more than match.maxSize.' : undefined;
