// PUT, GET, HEAD and DELETE of an object: from HTTP headers to the bucket and back.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { crc32c } from '../../checksum.ts';
import { httpTime } from '../../clock.ts';
import { type Answer, emptyAnswer } from './answer.ts';
import type { Bucket } from './bucket.ts';
import type { Conditions } from './conditions.ts';
import type { ObjectInfo } from './object-file.ts';
import { readUploadBody } from './request-body.ts';

/** Headers that are stored with an object and handed back as they came, besides `x-amz-meta-…`. */
const KEPT_HEADERS = ['cache-control', 'content-disposition', 'content-language', 'expires'];

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

const conditionsOf = (headers: IncomingHttpHeaders): Conditions => ({
  ...(headers['if-match'] === undefined ? {} : { ifMatch: headers['if-match'] }),
  ...(headers['if-none-match'] === undefined ? {} : { ifNoneMatch: headers['if-none-match'] }),
});

const keptHeaders = (headers: IncomingHttpHeaders): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = single(value);
    if (text !== undefined && (name.startsWith('x-amz-meta-') || KEPT_HEADERS.includes(name))) kept[name] = text;
  }
  const coding = headers['content-encoding']
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== 'aws-chunked');
  if (coding !== undefined && coding.length > 0) kept['content-encoding'] = coding.join(', ');
  return kept;
};

export interface PutLimits {
  readonly maxObjectBytes: number;
  /** Wall-clock milliseconds. */
  readonly wall: () => number;
}

export const putObject = async (
  bucket: Bucket,
  key: string,
  request: IncomingMessage,
  limits: PutLimits,
): Promise<Answer> => {
  const { body, checksum } = await readUploadBody(request, limits.maxObjectBytes);
  const info: ObjectInfo = {
    key,
    sizeBytes: body.length,
    etag: createHash('md5').update(body).digest('hex'),
    crc: crc32c(body),
    modifiedMs: limits.wall(),
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    headers: keptHeaders(request.headers),
    ...(checksum === undefined ? {} : { checksum }),
  };
  await bucket.put(info, body, conditionsOf(request.headers));
  return emptyAnswer(200, {
    etag: `"${info.etag}"`,
    ...(checksum === undefined ? {} : { [checksum.header]: checksum.value }),
  });
};

export const deleteObject = async (bucket: Bucket, key: string, request: IncomingMessage): Promise<Answer> => {
  await bucket.delete(key, conditionsOf(request.headers));
  return emptyAnswer(204);
};

const objectHeaders = (info: ObjectInfo): Record<string, string | number> => ({
  ...info.headers,
  'accept-ranges': 'bytes',
  'content-type': info.contentType,
  etag: `"${info.etag}"`,
  'last-modified': httpTime(info.modifiedMs),
});

const checksumHeaders = (info: ObjectInfo, request: IncomingMessage): Record<string, string> =>
  info.checksum !== undefined && request.headers['x-amz-checksum-mode']?.toString().toUpperCase() === 'ENABLED'
    ? { [info.checksum.header]: info.checksum.value }
    : {};

export const headObject = async (bucket: Bucket, key: string, request: IncomingMessage): Promise<Answer> => {
  const info = await bucket.head(key, conditionsOf(request.headers));
  const headers = { ...objectHeaders(info), ...checksumHeaders(info, request), 'content-length': info.sizeBytes };
  return { status: 200, headers, body: '' };
};

export const getObject = async (bucket: Bucket, key: string, request: IncomingMessage): Promise<Answer> => {
  const { info, range, bytes } = await bucket.get(key, conditionsOf(request.headers), single(request.headers.range));
  const headers = { ...objectHeaders(info), 'content-length': bytes.length };
  if (range === undefined) {
    return { status: 200, headers: { ...headers, ...checksumHeaders(info, request) }, body: bytes };
  }
  const contentRange = `bytes ${range.start}-${range.end}/${info.sizeBytes}`;
  return {
    status: 206,
    headers: { ...headers, 'content-range': contentRange },
    body: bytes,
    range: [range.start, range.end],
  };
};
