import { expect, test } from 'vitest';
import { type FaultSpec, faultSchema } from '../faults/fault-schema.ts';
import type { Link, PathName } from '../targets/target.ts';
import { targetSpecSchema } from '../targets/target-spec.ts';
import { refuseWithoutProxies, whyUnsupported } from './unsupported-fault.ts';

const fault = (written: Record<string, unknown>): FaultSpec =>
  faultSchema.parse({ victim: { broker: 1 }, at: '1s', duration: '5s', ...written });

const address = { host: '127.0.0.1', port: 1 };
const link = (path: PathName): Link => ({
  path,
  speaks: 'kafka',
  node: 'broker/1',
  admin: address,
  proxy: path,
  listen: address,
  upstream: address,
});

const latency = { fault: 'network-latency', params: { latency: '300ms' } };

const refusing =
  (written: Record<string, unknown>, ...paths: readonly PathName[]) =>
  () => {
    const target = {
      can: { links: { all: paths.map(link) } },
      description: { kind: 'compose', name: 'own', fingerprint: {} },
    };
    refuseWithoutProxies([fault({ fault: 'process-kill' }), fault(written)], target);
  };

test('a fault on a path without any proxy is refused before there is load', () => {
  const refused = /^network-latency acts on a proxy of the path client, and "own" has none\.$/u;
  expect(refusing(latency)).toThrow(refused);
  expect(refusing(latency, 'internal')).toThrow(refused);
  expect(refusing({ fault: 'client-partition' })).toThrow(/path client/u);
});

test('one that has its proxy, or another way to act, is not', () => {
  expect(refusing(latency, 'client')).not.toThrow();
  expect(refusing({ fault: 'network-partition', params: { from: 'brokers' } })).not.toThrow();
  expect(refusing({ fault: 'network-partition', params: { from: 'brokers' }, backend: 'toxiproxy' })).toThrow(
    /path internal/u,
  );
});

test('a fault of single requests needs an S3 fault proxy on its path, which the kind of log decides', () => {
  const on = (wal: string) => targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', wal });
  const denied = fault({ fault: 'object-store-denied', params: { path: 's3-wal' } });
  expect(whyUnsupported(denied, on('s3'))).toBeUndefined();
  expect(whyUnsupported(denied, on('nfs'))).toBe(
    'object-store-denied needs a proxy on the path s3-wal, which a target of kind "embedded" does not offer. Use an embedded target with wal: s3.',
  );
  expect(whyUnsupported(denied, targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process' }))).toMatch(
    /^object-store-denied needs objectStore, storeProxy, .* Use a target of kind embedded\.$/u,
  );
  expect(refusing({ fault: 'object-store-denied' }, 's3-data')).toThrow(
    'object-store-denied acts on a proxy of the path s3-data, and "own" has none.',
  );
});

test('an outage of some requests to the log needs a log in the object store, one of all of them does not', () => {
  const target = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', wal: 'block' });
  const some = { mode: 'reset', match: { op: 'PutObject' } };
  expect(whyUnsupported(fault({ fault: 'wal-outage', params: some }), target)).toMatch(
    /Use an embedded target with wal: s3\.$/u,
  );
  expect(whyUnsupported(fault({ fault: 'wal-outage' }), target)).toBeUndefined();
});

test('an outage needs one of two kinds of proxy', () => {
  const outage = fault({ fault: 'object-store-outage' });
  expect(
    whyUnsupported(outage, targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded' })),
  ).toBeUndefined();
  const external = { apiVersion: 'ackproof/v1', kind: 'external', name: 'own', bootstrapServers: ['127.0.0.1:9092'] };
  expect(whyUnsupported(outage, targetSpecSchema.parse(external))).toMatch(
    /^object-store-outage needs objectStore, links or storeProxy, /u,
  );
});

test('a cut of power needs a volume, which the embedded cluster has with two kinds of write-ahead log', () => {
  const { allow, ...cut } = fault({
    fault: 'all-brokers-kill',
    victim: { all: true },
    allow: ['full-outage'],
    params: { volume: true },
  });
  expect(allow).toEqual(['full-outage']);
  const on = (wal: string) => targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', wal });
  expect(whyUnsupported(cut, on('s3'))).toBe(
    'all-brokers-kill needs a proxy on the path wal, which a target of kind "embedded" does not offer. Use an embedded target with wal: block or wal: nfs.',
  );
  expect(whyUnsupported(cut, on('block'))).toBeUndefined();
  expect(whyUnsupported({ ...cut, params: { volume: false } }, on('s3'))).toBeUndefined();
});

test('what makes the disk of a volume ill needs one that is served by whoever can be asked for it', () => {
  const on = (kind: string, more: object = {}) => targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind, ...more });
  const [block, s3, compose] = [on('embedded', { wal: 'block' }), on('embedded'), on('compose')];
  for (const name of ['wal-io-stall', 'wal-io-error', 'disk-read-only']) {
    const stall = fault({ fault: name });
    expect(whyUnsupported(stall, block)).toBeUndefined();
    expect(whyUnsupported(stall, compose)).toBe(
      `${name} needs volumeIo, which a target of kind "compose" does not offer. Use an embedded target with wal: block or wal: nfs.`,
    );
  }
  const full = (backend: string) => fault({ fault: 'disk-full', backend });
  expect([whyUnsupported(full('auto'), block), whyUnsupported(full('volume'), block)]).toEqual([undefined, undefined]);
  expect(whyUnsupported(full('auto'), compose)).toBeUndefined();
  expect(whyUnsupported(full('docker'), block)).toContain('disk-full needs containers');
  expect(whyUnsupported(full('volume'), compose)).toContain('disk-full needs volumeIo');
  expect(whyUnsupported(full('auto'), s3)).toContain('disk-full needs containers');
});
