// Uploads in parts: begin, upload a part, list, complete, abort.
import { isoTime } from '../../clock.ts';
import { type Answer, emptyAnswer, xmlAnswer } from './answer.ts';
import { type Call, conditionsOf, headerOf } from './call.ts';
import { algorithmOf, CHECKSUM_HEADERS, checksumElement, checksumOf } from './checksums.ts';
import { parseCompleteRequest } from './complete-request.ts';
import { wantedChecksum } from './copy-operations.ts';
import { compareKeys } from './key-order.ts';
import { countOf, echo, encoderOf } from './list-parameters.ts';
import type { Expectation, Upload } from './multipart-uploads.ts';
import { type ChecksumType, type StoredChecksum, writeObjectFile } from './object-file.ts';
import { checksumAnswer, infoOfBody } from './object-operations.ts';
import { partNumberOf } from './part-number.ts';
import { S3Error } from './s3-error.ts';
import { storedHeaders } from './stored-headers.ts';
import { element, textElement, xmlDocument } from './xml.ts';

const uploadIdOf = ({ target }: Call): string => target.query.get('uploadId') ?? '';

/** Hashes go over the checksums of the parts, CRC-64 over the bytes of the object; the others can do both. */
const checksumTypeOf = (call: Call, header: string): ChecksumType => {
  const wanted = headerOf(call, 'x-amz-checksum-type');
  const only = header.includes('-sha') ? 'COMPOSITE' : header.includes('crc64') ? 'FULL_OBJECT' : undefined;
  if (wanted !== undefined && !(only === undefined ? ['COMPOSITE', 'FULL_OBJECT'] : [only]).includes(wanted)) {
    throw new S3Error('InvalidRequest', `${algorithmOf(header)} has no checksum of type ${wanted}.`);
  }
  return only ?? (wanted === 'FULL_OBJECT' ? wanted : 'COMPOSITE');
};

/** The checksum the object will have; its value is not known yet. */
const checksumToBe = (call: Call): StoredChecksum | undefined => {
  const header = wantedChecksum(call);
  return header === undefined ? undefined : { header, value: '', type: checksumTypeOf(call, header) };
};

export const createMultipartUpload = async (call: Call): Promise<Answer> => {
  const { store, target, wall } = call;
  await call.readBody();
  const { bucket, key } = target;
  const checksum = checksumToBe(call);
  const described = { ...storedHeaders(call), modifiedMs: wall(), ...(checksum === undefined ? {} : { checksum }) };
  const id = await store.uploads(bucket).begin(infoOfBody(key, Buffer.alloc(0), described));
  return xmlAnswer(
    200,
    xmlDocument('InitiateMultipartUploadResult', [
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('UploadId', id),
    ]),
    checksum === undefined
      ? {}
      : { 'x-amz-checksum-algorithm': algorithmOf(checksum.header), 'x-amz-checksum-type': checksum.type ?? '' },
  );
};

/** A part has the checksum its upload wants, whether its uploader sent one or not. */
const partChecksum = (upload: Upload, body: Buffer, sent: StoredChecksum | undefined): StoredChecksum | undefined => {
  const header = upload.object.checksum?.header;
  return header === undefined || header === sent?.header ? sent : { header, value: checksumOf(header, body) };
};

export const uploadPart = async (call: Call): Promise<Answer> => {
  const { store, target, wall } = call;
  const { bucket, key, query } = target;
  const uploads = store.uploads(bucket);
  const number = partNumberOf(query.get('partNumber'));
  const upload = uploads.find(key, uploadIdOf(call));
  const { body, checksum: sent } = await call.readBody();
  const checksum = partChecksum(upload, body, sent);
  const described = {
    contentType: '',
    headers: {},
    modifiedMs: wall(),
    ...(checksum === undefined ? {} : { checksum }),
  };
  const info = infoOfBody(key, body, described);
  await uploads.putPart(key, upload.id, number, async (path) => {
    await writeObjectFile(path, info, body);
    return info;
  });
  const { [checksum?.header ?? '']: value } = checksumAnswer(checksum);
  return emptyAnswer(200, {
    etag: `"${info.etag}"`,
    ...(checksum === undefined || value === undefined ? {} : { [checksum.header]: value }),
  });
};

/** What the request that completes an upload says of the object, besides its parts. */
const expectationOf = (call: Call): Expectation => {
  const size = headerOf(call, 'x-amz-mp-object-size');
  const header = CHECKSUM_HEADERS.find((each) => call.headers[each] !== undefined);
  return {
    conditions: conditionsOf(call),
    ...(size === undefined ? {} : { sizeBytes: Number(size) }),
    ...(header === undefined ? {} : { checksum: { header, value: headerOf(call, header) ?? '' } }),
  };
};

export const completeMultipartUpload = async (call: Call): Promise<Answer> => {
  const { store, target, limits, wall } = call;
  const { bucket, key } = target;
  const uploads = store.uploads(bucket);
  const named = parseCompleteRequest((await call.readBody('described')).body);
  const { minPartBytes } = limits;
  const info = await uploads.complete(key, uploadIdOf(call), named, expectationOf(call), { minPartBytes, wall });
  const { checksum } = info;
  return xmlAnswer(
    200,
    xmlDocument('CompleteMultipartUploadResult', [
      textElement('Location', `/${bucket}/${encodeURI(key)}`),
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('ETag', `"${info.etag}"`),
      ...(checksum === undefined
        ? []
        : [
            textElement(checksumElement(checksum.header), checksum.value),
            textElement('ChecksumType', checksum.type ?? 'FULL_OBJECT'),
          ]),
    ]),
  );
};

export const abortMultipartUpload = async (call: Call): Promise<Answer> => {
  await call.store.uploads(call.target.bucket).abort(call.target.key, uploadIdOf(call));
  return emptyAnswer(204);
};

const checksumElements = (upload: Upload): string[] => {
  const { checksum } = upload.object;
  return checksum === undefined
    ? []
    : [
        textElement('ChecksumAlgorithm', algorithmOf(checksum.header)),
        textElement('ChecksumType', checksum.type ?? 'FULL_OBJECT'),
      ];
};

export const listParts = ({ store, target, ...rest }: Call): Answer => {
  const { bucket, key, query } = target;
  const upload = store.uploads(bucket).find(key, uploadIdOf({ store, target, ...rest }));
  const most = countOf(query, 'max-parts');
  const marker = Number(query.get('part-number-marker') ?? 0);
  const numbers = [...upload.parts.keys()].filter((number) => number > marker).sort((one, other) => one - other);
  const shown = numbers.slice(0, most);
  const isTruncated = numbers.length > shown.length;
  const parts = shown.flatMap((number) => {
    const info = upload.parts.get(number);
    if (info === undefined) return [];
    const { checksum } = info;
    return element('Part', [
      textElement('PartNumber', number),
      textElement('LastModified', isoTime(info.modifiedMs)),
      textElement('ETag', `"${info.etag}"`),
      textElement('Size', info.sizeBytes),
      ...(checksum === undefined ? [] : [textElement(checksumElement(checksum.header), checksum.value)]),
    ]);
  });
  return xmlAnswer(
    200,
    xmlDocument('ListPartsResult', [
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('UploadId', upload.id),
      textElement('PartNumberMarker', marker),
      ...(isTruncated ? [textElement('NextPartNumberMarker', shown.at(-1) ?? marker)] : []),
      textElement('MaxParts', most),
      textElement('IsTruncated', isTruncated),
      textElement('StorageClass', 'STANDARD'),
      ...checksumElements(upload),
      ...parts,
    ]),
  );
};

/** By key, and then as they began; which is also the order of the marks that go on with a page. */
const inOrder = (uploads: readonly Upload[]): readonly Upload[] =>
  uploads
    .map((upload, began) => ({ upload, began }))
    .sort((one, other) => compareKeys(one.upload.object.key, other.upload.object.key) || one.began - other.began)
    .map(({ upload }) => upload);

const isBehind = (ordered: readonly Upload[], query: URLSearchParams): ((upload: Upload) => boolean) => {
  const key = query.get('key-marker') ?? '';
  const id = query.get('upload-id-marker') ?? '';
  const position = ordered.findIndex((upload) => upload.id === id && upload.object.key === key);
  if (key === '') return () => true;
  return (upload) => {
    const order = compareKeys(upload.object.key, key);
    return order > 0 || (order === 0 && position >= 0 && ordered.indexOf(upload) > position);
  };
};

export const listMultipartUploads = ({ store, target }: Call): Answer => {
  const { bucket, query } = target;
  const encode = encoderOf(query);
  const most = countOf(query, 'max-uploads');
  const prefix = query.get('prefix') ?? '';
  if ((query.get('delimiter') ?? '') !== '') {
    throw new S3Error('NotImplemented', 'This store does not roll up the keys of uploads that are under way.');
  }
  const ordered = inOrder(store.uploads(bucket).all);
  const behind = ordered.filter(isBehind(ordered, query)).filter(({ object }) => object.key.startsWith(prefix));
  const shown = behind.slice(0, most);
  const last = behind.length > shown.length ? shown.at(-1) : undefined;
  return xmlAnswer(
    200,
    xmlDocument('ListMultipartUploadsResult', [
      textElement('Bucket', bucket),
      textElement('KeyMarker', encode(query.get('key-marker') ?? '')),
      textElement('UploadIdMarker', query.get('upload-id-marker') ?? ''),
      ...(last === undefined
        ? []
        : [textElement('NextKeyMarker', encode(last.object.key)), textElement('NextUploadIdMarker', last.id)]),
      textElement('Prefix', encode(prefix)),
      ...echo('EncodingType', query.get('encoding-type')),
      textElement('MaxUploads', most),
      textElement('IsTruncated', last !== undefined),
      ...shown.map((upload) =>
        element('Upload', [
          textElement('Key', encode(upload.object.key)),
          textElement('UploadId', upload.id),
          textElement('StorageClass', 'STANDARD'),
          textElement('Initiated', isoTime(upload.object.modifiedMs)),
          ...checksumElements(upload),
        ]),
      ),
    ]),
  );
};
