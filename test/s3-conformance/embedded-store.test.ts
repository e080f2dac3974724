// The embedded object store, held against the conformance suite with its signatures looked at.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningStore, startStore } from '../../src/embedded/object-store/running-store.ts';
import { parseStoreConfig } from '../../src/embedded/object-store/store-config.ts';
import { describeConformance } from './suite.ts';

const directory = mkdtempSync(join(tmpdir(), 'ackproof-conformance-'));
const credentials = { accessKeyId: 'conformance', secretAccessKey: 'not/a+secret' };
let store: RunningStore;

beforeAll(async () => {
  const listeners = [{ name: 'data' }];
  store = await startStore(parseStoreConfig({ directory, listeners, buckets: ['conformance'], credentials }));
});

afterAll(async () => {
  await store.stop();
  rmSync(directory, { recursive: true });
});

describeConformance('the embedded object store', () => ({
  url: `http://127.0.0.1:${store.listeners['data']!}`,
  region: 'us-east-1',
  bucket: 'conformance',
  ...credentials,
}));
