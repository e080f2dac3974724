// What heals a fault by rules after its run has died: from the journal's data alone, against a proxy that goes on or is gone.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningS3Proxy, startS3Proxy } from '../s3-proxy/s3-proxy.ts';
import type { UndoStep } from './fault.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

const never = new AbortController().signal;
let proxy: RunningS3Proxy;
beforeEach(async () => {
  const upstream = { protocol: 'http', host: '127.0.0.1', port: 9 } as const;
  proxy = await startS3Proxy({ listeners: [{ name: 's3-data-b1', upstream }], admin: {} });
});
afterEach(async () => {
  await proxy.stop();
});

const step = (): UndoStep => ({
  do: 'remove-rules',
  admin: proxy.admin ?? { host: '127.0.0.1', port: 0 },
  rules: ['ours-1', 'ours-1c'],
});
const record = () => ({ fault: 'object-store-error', steps: [step()] }) as const;

const hang = async (id: string): Promise<void> => {
  await proxy.control.addRule({ id, ttlMs: 60_000, action: { kind: 'hang' } });
};

test('takes away what the record names and nothing else, as often as it is asked to', async () => {
  await hang('ours-1');
  await hang('theirs');
  const { port } = proxy.admin ?? { port: 0 };
  expect(await leftOf(record(), freshReach())).toEqual([
    {
      what: 'the S3 proxy still has the rule ours-1',
      byHand: `curl -fsS -m 10 -X DELETE 'http://127.0.0.1:${port}/rules/ours-1'`,
    },
  ]);
  for (let round = 0; round < 2; round++) {
    expect(await performUndo([record()], freshReach(), never)).toEqual([]);
    expect(await leftOf(record(), freshReach())).toEqual([]);
  }
  expect((await proxy.control.rules()).map(({ id }) => id)).toEqual(['theirs']);
});

test('lets go of what a rule holds before it says that nothing is left', async () => {
  await hang('ours-1');
  const { host, port } = proxy.listeners['s3-data-b1'] ?? { host: '', port: 0 };
  const held = fetch(`http://${host}:${port}/bucket/key`).then(
    () => 'answered',
    () => 'let go',
  );
  while ((await proxy.control.counters()).held === 0) await new Promise((done) => setTimeout(done, 5));
  expect(await performUndo([record()], freshReach(), never)).toEqual([]);
  expect(await held).toBe('let go');
  expect((await proxy.control.counters()).held).toBe(0);
});

test('says how by hand where the proxy cannot be asked', async () => {
  const dead = record();
  await proxy.stop();
  const problems = await performUndo([dead], freshReach(), never);
  expect(problems.map(({ what }) => what)).toEqual(['remove-rules ours-1, ours-1c']);
  const [left] = await leftOf(dead, freshReach());
  expect(left?.what).toMatch(/^the S3 proxy at 127\.0\.0\.1:\d+: S3_PROXY_SILENT/u);
  expect(left?.byHand).toContain('each rule also ends by itself');
});
