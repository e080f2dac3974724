// kill -9 of the store program in the middle of uploads in parts, and what is there after it was started again: an object that was
// answered is whole, nothing is there in part, a part that was answered is still in its upload, and no upload outlives its object.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { exitOf, startStoreProcess } from '../../../test/support/store-process.ts';

const Bucket = 'records';
const PARTS = 3;
const root = mkdtempSync(join(tmpdir(), 'ackproof-multipart-crash-'));
const settings = { directory: join(root, 'store'), minPartBytes: 1_000 };
afterAll(() => rmSync(root, { recursive: true }));

const clientOf = (port: number): S3Client =>
  new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });

/** A body that tells its key, its part, and whether it is whole. */
const partOf = (key: string, number: number): Buffer => Buffer.alloc(20_000 + 7_000 * number, `${key} ${number} `);
const wholeOf = (key: string): Buffer =>
  Buffer.concat(Array.from({ length: PARTS }, (_, index) => partOf(key, index + 1)));

interface Answered {
  /** Upload id → numbers of the parts that were answered. */
  readonly parts: Map<string, number[]>;
  readonly completed: Set<string>;
}

const uploadOne = async (s3: S3Client, Key: string, answered: Answered): Promise<void> => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const numbers: number[] = [];
  answered.parts.set(UploadId!, numbers);
  const Parts: CompletedPart[] = [];
  for (let PartNumber = 1; PartNumber <= PARTS; PartNumber++) {
    const input = { Bucket, Key, UploadId, PartNumber, Body: partOf(Key, PartNumber) };
    const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand(input));
    numbers.push(PartNumber);
    Parts.push({ PartNumber, ETag, ChecksumCRC32 });
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
  answered.completed.add(Key);
};

test('kill -9 leaves whole objects, and uploads with every part that was answered', async () => {
  const answered: Answered = { parts: new Map(), completed: new Set() };
  const tried = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const { child, port } = await startStoreProcess(settings);
    const s3 = clientOf(port);
    const lane = async (number: number): Promise<void> => {
      for (let index = 0; ; index++) {
        const key = `round-${round}/lane-${number}/${index}`;
        tried.add(key);
        try {
          await uploadOne(s3, key, answered);
        } catch {
          return;
        }
        if (answered.completed.size >= 8 * (round + 1)) child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 6 }, async (_, number) => await lane(number)));
    s3.destroy();
  }
  expect(answered.completed.size).toBeGreaterThanOrEqual(32);

  const { child, port } = await startStoreProcess(settings);
  const s3 = clientOf(port);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const found = Contents.map(({ Key }) => Key!);
  expect([...answered.completed].filter((key) => !found.includes(key))).toEqual([]);
  for (const Key of found) {
    expect(tried.has(Key)).toBe(true);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(Buffer.from(await Body!.transformToByteArray()).equals(wholeOf(Key))).toBe(true);
  }
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
  for (const { Key, UploadId } of Uploads) {
    expect(found).not.toContain(Key);
    const { Parts = [] } = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    const has = Parts.map(({ PartNumber, Size }) => [PartNumber, Size]);
    const promised = (answered.parts.get(UploadId!) ?? []).map((number) => [number, partOf(Key!, number).length]);
    expect(has).toEqual(expect.arrayContaining(promised));
  }
  s3.destroy();
  child.kill('SIGTERM');
  expect(await exitOf(child)).toBe(0);
});
