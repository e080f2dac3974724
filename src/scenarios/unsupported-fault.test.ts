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
