// CopyObject and UploadPartCopy: the bytes go from file to file, in pieces, and what is known of them is reckoned anew on the way.
import { createHash } from 'node:crypto';
import { crc32c } from '../../checksum.ts';
import { isoTime } from '../../clock.ts';
import { type Answer, xmlAnswer } from './answer.ts';
import type { ByteRange } from './byte-range.ts';
import { type Call, conditionsOf, headerOf } from './call.ts';
import { checksumElement, checksumHeader, type RunningSum, sumFor } from './checksums.ts';
import { evaluateForCopy } from './conditions.ts';
import { type ObjectInfo, type OpenObjectFile, writeObjectPieces } from './object-file.ts';
import { partNumberOf } from './part-number.ts';
import { assertKeyLength, splitPath } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { storedHeaders } from './stored-headers.ts';
import { textElement, xmlDocument } from './xml.ts';

const SOURCE = 'x-amz-copy-source';

interface Source {
  readonly bucket: string;
  readonly key: string;
}

/** `/bucket/key` or `bucket/key`, percent-encoded. Throws InvalidArgument, and NotImplemented for a version. */
const sourceOf = (call: Call): Source => {
  const [path = '', version] = (headerOf(call, SOURCE) ?? '').split('?', 2);
  if (version !== undefined) throw new S3Error('NotImplemented', 'This store keeps no versions to copy from.');
  const source = splitPath(path.replace(/^\//, ''));
  if (source.bucket === '' || source.key === '') {
    throw new S3Error('InvalidArgument', `The ${SOURCE} names no object: it is bucket/key.`);
  }
  assertKeyLength(source.key);
  return source;
};

/** Throws NoSuchBucket, NoSuchKey or PreconditionFailed. */
const openSource = async (call: Call, { bucket, key }: Source): Promise<OpenObjectFile> => {
  const file = await call.store.bucket(bucket).open(key);
  try {
    evaluateForCopy(conditionsOf(call, `${SOURCE}-`), file.info);
    return file;
  } catch (thrown) {
    await file[Symbol.asyncDispose]();
    throw thrown;
  }
};

/** What becomes known of bytes while they go by. */
class Passage {
  readonly #md5 = createHash('md5');
  readonly #header: string | undefined;
  readonly #sum: RunningSum | undefined;
  #crc = 0;
  #sizeBytes = 0;

  /** `header`: of the checksum that is wanted besides. */
  constructor(header: string | undefined) {
    this.#header = header;
    this.#sum = header === undefined ? undefined : sumFor(header);
  }

  async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.#md5.update(piece);
      this.#crc = crc32c(piece, this.#crc);
      this.#sum?.add(piece);
      this.#sizeBytes += piece.length;
      yield piece;
    }
  }

  /** After the last piece, once. */
  info(described: Pick<ObjectInfo, 'key' | 'contentType' | 'headers' | 'modifiedMs'>): ObjectInfo {
    const value = this.#sum?.end();
    return {
      ...described,
      sizeBytes: this.#sizeBytes,
      etag: this.#md5.digest('hex'),
      crc: this.#crc,
      ...(this.#header === undefined || value === undefined ? {} : { checksum: { header: this.#header, value } }),
    };
  }
}

/** Undefined where none is asked for. Throws InvalidRequest for one that is not known. */
export const wantedChecksum = (call: Call): string | undefined => {
  const algorithm = headerOf(call, 'x-amz-checksum-algorithm');
  if (algorithm === undefined) return undefined;
  const header = checksumHeader(algorithm);
  if (header === undefined) throw new S3Error('InvalidRequest', `There is no checksum algorithm ${algorithm}.`);
  return header;
};

const resultOf = (root: string, { etag, modifiedMs, checksum }: ObjectInfo): Answer =>
  xmlAnswer(
    200,
    xmlDocument(root, [
      textElement('LastModified', isoTime(modifiedMs)),
      textElement('ETag', `"${etag}"`),
      ...(checksum === undefined ? [] : [textElement(checksumElement(checksum.header), checksum.value)]),
    ]),
  );

export const copyObject = async (call: Call): Promise<Answer> => {
  const { store, target, wall } = call;
  await call.readBody();
  const bucket = store.bucket(target.bucket);
  const source = sourceOf(call);
  const replaces = headerOf(call, 'x-amz-metadata-directive')?.toUpperCase() === 'REPLACE';
  if (!replaces && source.bucket === target.bucket && source.key === target.key) {
    throw new S3Error('InvalidRequest', 'An object is copied onto itself only to replace its metadata.');
  }
  await using file = await openSource(call, source);
  const described = replaces ? storedHeaders(call) : { contentType: file.info.contentType, headers: file.info.headers };
  const passage = new Passage(wantedChecksum(call) ?? file.info.checksum?.header);
  const pieces = passage.of(file.pieces(0, file.info.sizeBytes - 1));
  const infoOf = (): ObjectInfo => passage.info({ key: target.key, ...described, modifiedMs: wall() });
  return resultOf('CopyObjectResult', await bucket.putPieces(pieces, infoOf, conditionsOf(call)));
};

/** `bytes=first-last`, both within the source. Throws InvalidArgument or InvalidRange. */
const copiedRange = (call: Call, { sizeBytes }: ObjectInfo): ByteRange => {
  const text = headerOf(call, `${SOURCE}-range`);
  if (text === undefined) return { start: 0, end: sizeBytes - 1 };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  const range = { start: Number(first), end: Number(last) };
  if (first === undefined || range.start > range.end) {
    throw new S3Error('InvalidArgument', `The ${SOURCE}-range is not of the form bytes=first-last.`);
  }
  if (range.end >= sizeBytes) {
    throw new S3Error('InvalidRange', `The range ${text} goes beyond the ${sizeBytes} bytes of the source.`);
  }
  return range;
};

export const uploadPartCopy = async (call: Call): Promise<Answer> => {
  const { store, target, wall } = call;
  await call.readBody();
  const uploads = store.uploads(target.bucket);
  const id = target.query.get('uploadId') ?? '';
  const number = partNumberOf(target.query.get('partNumber'));
  const { object } = uploads.find(target.key, id);
  await using file = await openSource(call, sourceOf(call));
  const { start, end } = copiedRange(call, file.info);
  const passage = new Passage(object.checksum?.header);
  const described = { key: target.key, contentType: '', headers: {}, modifiedMs: wall() };
  const info = await uploads.putPart(
    target.key,
    id,
    number,
    async (path) => await writeObjectPieces(path, passage.of(file.pieces(start, end)), () => passage.info(described)),
  );
  return resultOf('CopyPartResult', info);
};
