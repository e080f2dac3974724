// Signatures held against an example that Amazon publishes, and against a store that was given keys and has a reading of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { startStore } from '../embedded/object-store/running-store.ts';
import { parseStoreConfig } from '../embedded/object-store/store-config.ts';
import { Secret } from '../wire/secret.ts';
import { signatureHeaders } from './s3-signature.ts';

test('signs the example of the S3 documentation as it is signed there', () => {
  const login = {
    region: 'us-east-1',
    accessKey: new Secret('AKIAIOSFODNN7EXAMPLE'),
    secretKey: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
  };
  const request = {
    method: 'GET',
    address: { host: 'examplebucket.s3.amazonaws.com', port: 80 },
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
  };
  const { authorization } = signatureHeaders(login, request, Date.UTC(2013, 4, 24));
  expect(authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('is taken by a store that checks, and not where the key or the body is another', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ackproof-signature-'));
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const store = await startStore(
    parseStoreConfig({ directory, listeners: [{ name: 'data' }], buckets: ['records'], credentials }),
  );
  try {
    const address = { host: '127.0.0.1', port: store.listeners['data'] ?? 0 };
    const status = async (path: string, body: string | undefined, { key = 'key', signed = body } = {}) => {
      const login = { region: 'us-east-1', accessKey: new Secret('id'), secretKey: new Secret(key) };
      const method = body === undefined ? 'GET' : 'PUT';
      const content = signed === undefined ? {} : { body: Buffer.from(signed) };
      const headers = signatureHeaders(login, { method, address, path, ...content }, systemClock.wall());
      const sent = body === undefined ? {} : { body };
      return (await fetch(`http://${address.host}:${address.port}${path}`, { method, headers, ...sent })).status;
    };
    expect(await status('/records/one/object', 'content')).toBe(200);
    expect(await status('/records/one/object', undefined)).toBe(200);
    expect(await status('/records?list-type=2&prefix=one%2F', undefined)).toBe(200);
    expect(await status('/records/one/object', undefined, { key: 'another' })).toBe(403);
    expect(await status('/records/one/object', 'content', { signed: 'other' })).toBe(400);
  } finally {
    await store.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
