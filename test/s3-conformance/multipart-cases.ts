// Uploads in parts: what they become, what is refused, and how they are listed.
import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandOutput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  paginateListParts,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { failureOf, MIB, patternOf, type S3Case, type Session } from './endpoint.ts';
import { bytesOf, digestOf, put } from './object-cases.ts';

interface Begun {
  readonly Key: string;
  readonly UploadId: string;
}

const begin = async (
  { s3, Bucket, key }: Session,
  name: string,
  more: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'> = {},
): Promise<Begun> => {
  const Key = key(name);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
  expect(UploadId).toMatch(/./);
  return { Key, UploadId: UploadId! };
};

const upload = async (
  { s3, Bucket }: Session,
  begun: Begun,
  PartNumber: number,
  Body: Uint8Array,
): Promise<CompletedPart> => {
  const answer = await s3.send(new UploadPartCommand({ Bucket, ...begun, PartNumber, Body }));
  return { PartNumber, ETag: answer.ETag, ChecksumCRC32: answer.ChecksumCRC32 };
};

const complete = async (
  { s3, Bucket }: Session,
  begun: Begun,
  Parts: CompletedPart[],
  more: object = {},
): Promise<CompleteMultipartUploadCommandOutput> =>
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, ...begun, MultipartUpload: { Parts }, ...more }));

const abort = async ({ s3, Bucket }: Session, begun: Begun): Promise<void> => {
  await s3.send(new AbortMultipartUploadCommand({ Bucket, ...begun }));
};

const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

/** The parts of most cases: two of the least size, and a short last one. */
const BODIES = [patternOf(5 * MIB, 1), patternOf(5 * MIB, 2), patternOf(1_000, 3)];
const WHOLE = Buffer.concat(BODIES);

const uploadAll = async (session: Session, begun: Begun): Promise<CompletedPart[]> =>
  await Promise.all(BODIES.map(async (body, index) => await upload(session, begun, index + 1, body)));

export const multipartCases: readonly S3Case[] = [
  {
    title: 'parts become one object, with the ETag, type and metadata it was begun with',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const begun = await begin(session, 'parts', { ContentType: 'text/plain', Metadata: { owner: 'me' } });
      const Parts = await uploadAll(session, begun);
      expect(await failureOf(bytesOf(session, 'parts'))).toMatchObject({ name: 'NoSuchKey' });
      const { ETag } = await complete(session, begun, Parts);
      expect(ETag).toBe(`"${md5(Buffer.concat(BODIES.map(md5))).toString('hex')}-3"`);
      expect(digestOf(await bytesOf(session, 'parts'))).toBe(digestOf(WHOLE));
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key('parts') }));
      expect(head).toMatchObject({ ETag, ContentType: 'text/plain', ContentLength: WHOLE.length });
      expect(head.Metadata).toMatchObject({ owner: 'me' });
      const middle = 5 * MIB;
      const range = await bytesOf(session, 'parts', { Range: `bytes=${middle - 3}-${middle + 2}` });
      expect(range.equals(WHOLE.subarray(middle - 3, middle + 3))).toBe(true);
    },
  },
  {
    title: 'one part, also an empty one, is an upload',
    run: async (session) => {
      const begun = await begin(session, 'single');
      await complete(session, begun, [await upload(session, begun, 1, Buffer.from('only'))]);
      expect((await bytesOf(session, 'single')).toString()).toBe('only');
      const empty = await begin(session, 'empty');
      await complete(session, empty, [await upload(session, empty, 1, Buffer.alloc(0))]);
      expect(await bytesOf(session, 'empty')).toHaveLength(0);
    },
  },
  {
    title: 'numbers may have gaps, a part may be uploaded again, and one that is not named is left out',
    run: async (session) => {
      const begun = await begin(session, 'chosen');
      await upload(session, begun, 3, Buffer.from('the first try'));
      const last = await upload(session, begun, 3, Buffer.from('the last part'));
      await upload(session, begun, 9, Buffer.from('not named'));
      await complete(session, begun, [last]);
      expect((await bytesOf(session, 'chosen')).toString()).toBe('the last part');
    },
  },
  {
    title: 'what was aborted is gone: its parts, its completion, its place in the list',
    run: async (session) => {
      const { s3, Bucket } = session;
      const begun = await begin(session, 'aborted');
      const part = await upload(session, begun, 1, Buffer.from('x'));
      await abort(session, begun);
      const gone = { name: 'NoSuchUpload', status: 404 };
      expect(await failureOf(complete(session, begun, [part]))).toEqual(gone);
      expect(await failureOf(upload(session, begun, 2, Buffer.from('y')))).toEqual(gone);
      expect(await failureOf(s3.send(new ListPartsCommand({ Bucket, ...begun })))).toEqual(gone);
      const listed = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: begun.Key }));
      expect(listed.Uploads ?? []).toEqual([]);
      expect(await failureOf(bytesOf(session, 'aborted'))).toMatchObject({ name: 'NoSuchKey' });
    },
  },
  {
    title: 'parts are listed in pages, with number, size and ETag; the upload, until it is complete',
    run: async (session) => {
      const { s3, Bucket } = session;
      const begun = await begin(session, 'listed');
      const sent = [];
      for (const number of [2, 5, 11]) sent.push(await upload(session, begun, number, Buffer.alloc(number, 'x')));
      const found = [];
      for await (const page of paginateListParts({ client: s3, pageSize: 2 }, { Bucket, ...begun })) {
        expect(page.Parts ?? []).not.toHaveLength(3);
        found.push(...(page.Parts ?? []));
      }
      expect(found.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
        [2, 2],
        [5, 5],
        [11, 11],
      ]);
      expect(found.map(({ ETag }) => ETag)).toEqual(sent.map(({ ETag }) => ETag));
      const request = new ListMultipartUploadsCommand({ Bucket, Prefix: begun.Key });
      const { Uploads } = await s3.send(request);
      expect(Uploads?.map(({ Key, UploadId }) => ({ Key, UploadId }))).toEqual([begun]);
      expect(Uploads?.[0]?.Initiated).toBeInstanceOf(Date);
      await complete(session, begun, [sent[2]!]);
      expect((await s3.send(request)).Uploads ?? []).toEqual([]);
    },
  },
  {
    title: 'parts that are missing, changed, out of order or too small are refused, and the upload goes on',
    run: async (session) => {
      const begun = await begin(session, 'refused');
      const first = await upload(session, begun, 1, Buffer.from('too small to be first'));
      const second = await upload(session, begun, 2, Buffer.from('y'));
      const wrong = { ...second, ETag: '"00000000000000000000000000000000"' };
      const invalid = { name: 'InvalidPart', status: 400 };
      expect(await failureOf(complete(session, begun, [wrong]))).toEqual(invalid);
      expect(await failureOf(complete(session, begun, [{ ...second, PartNumber: 7 }]))).toEqual(invalid);
      const order = await failureOf(complete(session, begun, [second, first]));
      expect(order).toEqual({ name: 'InvalidPartOrder', status: 400 });
      const small = await failureOf(complete(session, begun, [first, second]));
      expect(small).toEqual({ name: 'EntityTooSmall', status: 400 });
      expect(await failureOf(bytesOf(session, 'refused'))).toMatchObject({ name: 'NoSuchKey' });
      await complete(session, begun, [first]);
      expect((await bytesOf(session, 'refused')).toString()).toBe('too small to be first');
    },
  },
  {
    title: 'completion with If-None-Match: * creates once, and with If-Match replaces that version only',
    run: async (session) => {
      const stored = await put(session, 'guarded', 'was here before');
      const begun = await begin(session, 'guarded');
      const Parts = [await upload(session, begun, 1, Buffer.from('later'))];
      const refused = await failureOf(complete(session, begun, Parts, { IfNoneMatch: '*' }));
      expect(refused).toEqual({ name: 'PreconditionFailed', status: 412 });
      expect((await bytesOf(session, 'guarded')).toString()).toBe('was here before');
      const again = await begin(session, 'guarded');
      const part = await upload(session, again, 1, Buffer.from('later'));
      await complete(session, again, [part], { IfMatch: stored });
      expect((await bytesOf(session, 'guarded')).toString()).toBe('later');
      await abort(session, begun).catch(() => undefined);
    },
  },
  {
    title: 'parts can be copied from objects, whole or a range of them',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const source = patternOf(6 * MIB, 4);
      await put(session, 'source', source);
      const begun = await begin(session, 'assembled');
      const CopySource = `${Bucket}/${key('source')}`;
      const ranges = [`bytes=0-${5 * MIB - 1}`, `bytes=${5 * MIB}-${6 * MIB - 1}`];
      const Parts: CompletedPart[] = [];
      for (const [index, CopySourceRange] of ranges.entries()) {
        const PartNumber = index + 1;
        const command = new UploadPartCopyCommand({ Bucket, ...begun, PartNumber, CopySource, CopySourceRange });
        const { CopyPartResult } = await s3.send(command);
        Parts.push({ PartNumber, ETag: CopyPartResult!.ETag, ChecksumCRC32: CopyPartResult!.ChecksumCRC32 });
      }
      await complete(session, begun, Parts);
      expect(digestOf(await bytesOf(session, 'assembled'))).toBe(digestOf(source));
    },
  },
  {
    title: 'a part that does not match its checksum is refused',
    run: async (session) => {
      const { s3, Bucket } = session;
      const begun = await begin(session, 'sums', { ChecksumAlgorithm: 'CRC32' });
      const input = { Bucket, ...begun, PartNumber: 1, Body: Buffer.from('body'), ChecksumCRC32: 'AAAAAA==' };
      expect(await failureOf(s3.send(new UploadPartCommand(input)))).toMatchObject({ status: 400 });
      await abort(session, begun);
    },
  },
  {
    title: 'the checksum of an object in parts is over those of its parts',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const begun = await begin(session, 'composite', { ChecksumAlgorithm: 'SHA256' });
      const sha = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
      const Parts: CompletedPart[] = [];
      for (const [index, Body] of BODIES.entries()) {
        const more = { PartNumber: index + 1, Body, ChecksumAlgorithm: 'SHA256' } as const;
        const answer = await s3.send(new UploadPartCommand({ Bucket, ...begun, ...more }));
        expect(answer.ChecksumSHA256).toBe(sha(Body).toString('base64'));
        Parts.push({ PartNumber: index + 1, ETag: answer.ETag, ChecksumSHA256: answer.ChecksumSHA256 });
      }
      const { ChecksumSHA256 } = await complete(session, begun, Parts);
      expect(ChecksumSHA256).toBe(`${sha(Buffer.concat(BODIES.map(sha))).toString('base64')}-3`);
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key('composite'), ChecksumMode: 'ENABLED' }));
      expect(head.ChecksumSHA256).toBe(ChecksumSHA256);
    },
  },
  {
    title: 'or over all its bytes, where it was begun so',
    needs: 'full-object-checksum',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const whole = await put(session, 'in-one', WHOLE);
      expect(whole).toMatch(/./);
      const one = await s3.send(new HeadObjectCommand({ Bucket, Key: key('in-one'), ChecksumMode: 'ENABLED' }));
      const begun = await begin(session, 'full', { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' });
      const Parts = await uploadAll(session, begun);
      const answer = await complete(session, begun, Parts, { ChecksumType: 'FULL_OBJECT' });
      expect(answer.ChecksumCRC32).toBe(one.ChecksumCRC32);
      expect(digestOf(await bytesOf(session, 'full', { ChecksumMode: 'ENABLED' }))).toBe(digestOf(WHOLE));
    },
  },
  {
    title: 'a part of the object is read by its number',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const begun = await begin(session, 'numbered');
      await complete(session, begun, await uploadAll(session, begun));
      const second = await s3.send(new GetObjectCommand({ Bucket, Key: key('numbered'), PartNumber: 2 }));
      expect(second).toMatchObject({ PartsCount: 3, ContentLength: 5 * MIB });
      expect(digestOf(await second.Body!.transformToByteArray())).toBe(digestOf(BODIES[1]!));
    },
  },
];
