// Whether a rule is about a request: all of the conditions it gives must hold.
import { z } from 'zod';
import { matchesGlob } from './key-glob.ts';
import { S3_OPERATIONS, type S3Request } from './s3-operation.ts';

const bytes = z.int().min(0);

export const matchSchema = z.strictObject({
  /** Name of the listener that the request came in by. */
  listener: z.string().min(1).exactOptional(),
  method: z.enum(['DELETE', 'GET', 'HEAD', 'POST', 'PUT']).exactOptional(),
  op: z.enum(S3_OPERATIONS).exactOptional(),
  keyPrefix: z.string().min(1).exactOptional(),
  /** Leaves these alone: the canaries of whoever made the rule, so that what it acts on is others' requests only. */
  notKeyPrefix: z.string().min(1).exactOptional(),
  keyGlob: z.string().min(1).max(1024).exactOptional(),
  /** Bounds of the payload that the request announces, aws-chunked coding taken off; one that announces none is within no bound. */
  minBytes: bytes.exactOptional(),
  maxBytes: bytes.exactOptional(),
});
export type Match = z.infer<typeof matchSchema>;

const isWithin = ({ minBytes, maxBytes }: Match, payloadBytes: number | undefined): boolean => {
  if (minBytes === undefined && maxBytes === undefined) return true;
  return payloadBytes !== undefined && payloadBytes >= (minBytes ?? 0) && payloadBytes <= (maxBytes ?? Infinity);
};

const isEqualIfGiven = (wanted: string | undefined, given: string): boolean => wanted === undefined || wanted === given;

export const matches = (match: Match, request: S3Request, listener: string): boolean =>
  isEqualIfGiven(match.listener, listener) &&
  isEqualIfGiven(match.method, request.method) &&
  isEqualIfGiven(match.op, request.op) &&
  (match.keyPrefix === undefined || request.key.startsWith(match.keyPrefix)) &&
  (match.notKeyPrefix === undefined || !request.key.startsWith(match.notKeyPrefix)) &&
  (match.keyGlob === undefined || matchesGlob(match.keyGlob, request.key)) &&
  isWithin(match, request.payloadBytes);
