// PUT, GET, HEAD and DELETE of an object: from HTTP headers to the bucket and back.
import { createHash } from 'node:crypto';
import { crc32c } from '../../checksum.ts';
import { httpTime } from '../../clock.ts';
import { type Answer, emptyAnswer } from './answer.ts';
import { byteRange, partRange } from './byte-range.ts';
import { type Call, conditionsOf, headerOf } from './call.ts';
import type { ObjectInfo, StoredChecksum } from './object-file.ts';
import { partNumberOf } from './part-number.ts';
import { storedHeaders } from './stored-headers.ts';

/** As answers of uploads and readers who ask for it have it. */
export const checksumAnswer = (checksum: StoredChecksum | undefined): Record<string, string> =>
  checksum === undefined
    ? {}
    : { [checksum.header]: checksum.value, 'x-amz-checksum-type': checksum.type ?? 'FULL_OBJECT' };

/** What is known of bytes that are here. */
export const infoOfBody = (
  key: string,
  body: Buffer,
  described: Pick<ObjectInfo, 'contentType' | 'headers' | 'modifiedMs'> & { readonly checksum?: StoredChecksum },
): ObjectInfo => ({
  key,
  sizeBytes: body.length,
  etag: createHash('md5').update(body).digest('hex'),
  crc: crc32c(body),
  ...described,
});

export const putObject = async (call: Call): Promise<Answer> => {
  const { store, target, wall } = call;
  const bucket = store.bucket(target.bucket);
  const { body, checksum } = await call.readBody();
  const described = { ...storedHeaders(call), modifiedMs: wall(), ...(checksum === undefined ? {} : { checksum }) };
  const info = infoOfBody(target.key, body, described);
  await bucket.put(info, body, conditionsOf(call));
  return emptyAnswer(200, { etag: `"${info.etag}"`, ...checksumAnswer(checksum) });
};

export const deleteObject = async (call: Call): Promise<Answer> => {
  await call.store.bucket(call.target.bucket).delete(call.target.key, conditionsOf(call));
  return emptyAnswer(204);
};

/** Headers of an answer that its reader wishes to be others: `response-content-type` and the like. */
const wishedHeaders = ({ target }: Call): Record<string, string> =>
  Object.fromEntries(
    [...target.query]
      .filter(([name]) => name.startsWith('response-'))
      .map(([name, value]) => [name.replace('response-', ''), value]),
  );

const objectHeaders = (info: ObjectInfo, call: Call): Record<string, string | number> => ({
  ...info.headers,
  'accept-ranges': 'bytes',
  'content-type': info.contentType,
  etag: `"${info.etag}"`,
  'last-modified': httpTime(info.modifiedMs),
  ...wishedHeaders(call),
  ...(call.target.query.has('partNumber') ? { 'x-amz-mp-parts-count': info.partSizes?.length ?? 1 } : {}),
});

const wantsChecksum = (call: Call): boolean => headerOf(call, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

const rangeOf = (call: Call, info: ObjectInfo): ReturnType<typeof byteRange> => {
  const part = call.target.query.get('partNumber');
  return part === null
    ? byteRange(headerOf(call, 'range'), info.sizeBytes)
    : partRange(partNumberOf(part), info.partSizes ?? [info.sizeBytes]);
};

/** How much of an object an answer has, or would have. */
const extent = (
  info: ObjectInfo,
  range: ReturnType<typeof byteRange>,
  call: Call,
): Pick<Answer, 'status' | 'headers'> => {
  const headers = objectHeaders(info, call);
  if (range === undefined) {
    const checksum = wantsChecksum(call) ? checksumAnswer(info.checksum) : {};
    return { status: 200, headers: { ...headers, ...checksum, 'content-length': info.sizeBytes } };
  }
  const contentRange = `bytes ${range.start}-${range.end}/${info.sizeBytes}`;
  const length = range.end - range.start + 1;
  return { status: 206, headers: { ...headers, 'content-length': length, 'content-range': contentRange } };
};

export const headObject = async (call: Call): Promise<Answer> => {
  const { store, target } = call;
  const info = await store.bucket(target.bucket).head(target.key, conditionsOf(call));
  return { ...extent(info, rangeOf(call, info), call), body: '' };
};

export const getObject = async (call: Call): Promise<Answer> => {
  const { store, target } = call;
  const bucket = store.bucket(target.bucket);
  const read = await bucket.get(target.key, conditionsOf(call), (present) => rangeOf(call, present));
  const { info, range, body } = read;
  return {
    ...extent(info, range, call),
    body,
    ...(range === undefined ? {} : { range: [range.start, range.end] }),
  };
};
