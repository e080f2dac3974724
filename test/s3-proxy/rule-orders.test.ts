// docker/s3-proxy/rule.mjs, by which target files order rules: against a running proxy, as the fault `command` runs it.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ProxiedStore } from './fixture.ts';

const SCRIPT = resolve(import.meta.dirname, '..', '..', 'docker', 's3-proxy', 'rule.mjs');

const order = async (...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> =>
  await new Promise((settle) => {
    execFile(process.execPath, [SCRIPT, ...words], (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : Number(error.code), said: (stdout + stderr).trim() });
    });
  });

it('orders a rule, proves that it acts, ends it, and proves that too', async () => {
  await using proxied = await ProxiedStore.start();
  const { host, port } = proxied.proxy.admin!;
  const admin = `${host}:${port}`;
  const rule = JSON.stringify({ ttlMs: 60_000, match: { op: 'PutObject' }, action: { kind: 'status', status: 503 } });

  expect(await order(admin, 'acts', 'wal')).toMatchObject({ code: 1 });
  expect(await order(admin, 'ended', 'wal')).toMatchObject({ code: 0 });
  expect(await order(admin, 'add', 'wal', rule)).toEqual({ code: 0, said: 'rule wal is in force for 60000 ms' });
  expect(await order(admin, 'add', 'wal', rule)).toMatchObject({ code: 1, said: expect.stringContaining('wal') });
  expect(await order(admin, 'ended', 'wal')).toMatchObject({ code: 1 });
  // In force is not yet acting.
  expect(await order(admin, 'acts', 'wal')).toEqual({ code: 1, said: 'rule wal is active and acted on 0 requests' });
  expect((await proxied.call({ method: 'PUT', key: 'a', body: 'x' })).status).toBe(503);
  expect(await order(admin, 'acts', 'wal')).toEqual({ code: 0, said: 'rule wal acted on 1 requests' });
  for (let time = 1; time <= 2; time++) expect(await order(admin, 'end', 'wal')).toMatchObject({ code: 0 });
  expect(await order(admin, 'acts', 'wal')).toMatchObject({ code: 1 });
  expect(await order(admin, 'ended', 'wal')).toMatchObject({ code: 0 });
  expect((await proxied.call({ method: 'PUT', key: 'a', body: 'x' })).status).toBe(200);
});

it('says what is wrong with an order, and where no proxy is', async () => {
  expect(await order('127.0.0.1:9', 'add', 'wal')).toMatchObject({ code: 64, said: expect.stringMatching(/^Write: /) });
  expect(await order('127.0.0.1:9', 'acts', 'wal')).toMatchObject({
    code: 1,
    said: expect.stringContaining('The S3 fault proxy at 127.0.0.1:9 did not do it'),
  });
});
