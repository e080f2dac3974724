import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TARGET_REGISTRY } from './registry.ts';
import { parseAddress } from './spec-fields.ts';
import { targetSpecSchema } from './target-spec.ts';

const read = (fields: Record<string, unknown>) => targetSpecSchema.safeParse({ apiVersion: 'ackproof/v1', ...fields });

const messagesOf = (fields: Record<string, unknown>): string =>
  (read(fields).error?.issues ?? []).map((issue) => issue.message).join(' | ');

describe('a target file', () => {
  it('of the embedded cluster needs no more than its kind', () => {
    expect(read({ kind: 'embedded' }).data).toMatchObject({
      name: 'embedded',
      brokers: 3,
      sessionTimeout: 1000,
      heartbeat: 150,
      uploadInterval: 1000,
      profile: 'embedded',
    });
  });

  it('gives durations with a unit; a bare number is told what to write', () => {
    expect(messagesOf({ kind: 'embedded', sessionTimeout: 5 })).toMatch(/5 has no unit/);
    expect(messagesOf({ kind: 'embedded', sessionTimeout: '5parsecs' })).toMatch(/parsecs/);
    expect(messagesOf({ kind: 'embedded', sessionTimeout: '1ms' })).toMatch(/between 300ms and 60000ms/);
  });

  it('with an unknown key, kind or version is refused', () => {
    expect(read({ kind: 'embedded', broker: 3 }).success).toBe(false);
    expect(read({ kind: 'embeded' }).success).toBe(false);
    expect(targetSpecSchema.safeParse({ apiVersion: 'ackproof/v2', kind: 'embedded' }).success).toBe(false);
  });

  it('names where nodes are scraped, by one address each and without a login in it', () => {
    const scraped = (...metrics: readonly unknown[]): string => messagesOf({ kind: 'process', metrics });
    const url = 'http://127.0.0.1:7071/metrics';
    expect(scraped({ node: 'broker/1', url }, { node: 'controller/101', url })).toBe('');
    expect(scraped()).not.toBe('');
    expect(scraped({ node: 'broker/1', url }, { node: 'broker/1', url })).toMatch(
      /each node is scraped at one address/,
    );
    expect(scraped({ node: 'b1', url })).toMatch(/a node is written like/);
    expect(scraped({ node: 'broker/1', url: 'file:///etc/passwd' })).toMatch(/an address to scrape is a URL/);
    expect(scraped({ node: 'broker/1', url: 'http://[::' })).toMatch(/an address to scrape is a URL/);
    expect(scraped({ node: 'broker/1', url: 'http://me:secret@h/metrics' })).toMatch(/may hold no login/);
    expect(scraped({ node: 'broker/1', url, every: '1s' })).not.toBe('');
    expect(read({ kind: 'embedded', metrics: [{ node: 'broker/1', url }] }).success).toBe(false);
  });

  it('of an external cluster names at least one address of host and port', () => {
    expect(read({ kind: 'external', bootstrapServers: ['k1:9092', '[::1]:9092'] }).success).toBe(true);
    for (const wrong of [[], ['k1'], ['k1:0'], ['k1:70000'], ['http://k1:9092'], ['k1:9092/x']]) {
      expect(read({ kind: 'external', bootstrapServers: wrong }).success, JSON.stringify(wrong)).toBe(false);
    }
  });

  // Red before: brokers dialled each other past the proxies, and a partition by these was confirmed all the same.
  it('of processes says nothing of who listens where, which is for ackproof to say', () => {
    const set = (...names: readonly string[]): string =>
      messagesOf({ kind: 'process', settings: Object.fromEntries(names.map((name) => [name, 'x'])) });
    expect(set('num.io.threads', 'log.segment.bytes', 'listener.name.internal.sasl.enabled.mechanisms')).toBe('');
    for (const name of [
      'inter.broker.listener.name',
      'security.inter.broker.protocol',
      'advertised.listeners',
      'listeners',
      'listener.security.protocol.map',
      'controller.listener.names',
      'control.plane.listener.name',
      'controller.quorum.voters',
      'controller.quorum.bootstrap.servers',
      'node.id',
      'process.roles',
    ]) {
      expect(set(name), name).toMatch(/who is dialled where/);
    }
  });

  // Red before: the login of `https://user:pass@host` was taken, and told wherever the endpoint is.
  it('of an external cluster has no login in the endpoint of its object store', () => {
    const key = { env: 'AUDIT_KEY' };
    const at = (endpoint: string): string => {
      const objectStore = { endpoint, bucket: 'b', accessKey: key, secretKey: key };
      return messagesOf({ kind: 'external', bootstrapServers: ['k1:9092'], objectStore });
    };
    expect(at('https://s3.example.com')).toBe('');
    for (const wrong of [
      'https://me:planted-3b@s3.example.com',
      'https://planted-3b@h:9000/',
      'http://h?token=planted-3b',
    ]) {
      expect(at(wrong)).toMatch(/without a login/);
      expect(at(wrong)).not.toContain('planted-3b');
    }
  });

  it('of an unknown product is not trusted to refuse as Apache Kafka does', () => {
    expect(read({ kind: 'external', bootstrapServers: ['k1:9092'] }).data?.profile).toBe('other');
  });

  it('that is shipped is valid', () => {
    const folder = new URL('../../scenarios/targets/', import.meta.url);
    const files = readdirSync(folder);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const parsed = targetSpecSchema.safeParse(parse(readFileSync(new URL(file, folder), 'utf8')));
      expect(parsed.error?.message, file).toBeUndefined();
    }
  });
});

describe('an address', () => {
  it('loses the brackets of IPv6', () => {
    expect(parseAddress('[::1]:9092')).toEqual({ host: '::1', port: 9092 });
    expect(parseAddress('kafka-1.example:19092')).toEqual({ host: 'kafka-1.example', port: 19092 });
  });
});

describe('the target registry', () => {
  it('is sorted, kebab-case and unique, each with a sentence', () => {
    const kinds = TARGET_REGISTRY.map((target) => target.kind);
    expect(kinds).toEqual([...new Set(kinds)].sort());
    for (const { kind, summary } of TARGET_REGISTRY) {
      expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(summary).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('offers for a cluster that is not ours only what Kafka’s own protocol can do', () => {
    expect(TARGET_REGISTRY.find((target) => target.kind === 'external')?.offers).toEqual(['administration']);
  });
});

it('a program cannot stand for a fault that makes losses legal', () => {
  const command = { inject: ['./a'], confirm: ['./b'], heal: ['./c'], healed: ['./d'] };
  const withNamed = (name: string) =>
    targetSpecSchema.safeParse({
      apiVersion: 'ackproof/v1',
      kind: 'external',
      bootstrapServers: ['a:9092'],
      commands: { [name]: command },
    });
  expect(withNamed('process-kill').success).toBe(true);
  expect(withNamed('node-loss').error?.issues[0]?.message).toContain('losses would be legal on its word alone');
});

it.each([
  [256, '256 has no unit. Write m (MiB) or g (GiB) behind it, like "256m".'],
  [[1], 'a heap is a whole number and m or g behind it, like "256m".'],
  ['256MB', 'a heap is a whole number and m or g behind it, like "256m".'],
])('a heap of %j is refused with how it is written', (heap, message) => {
  const parsed = targetSpecSchema.safeParse({ apiVersion: 'ackproof/v1', kind: 'process', heap });
  expect(parsed.error?.issues).toMatchObject([{ path: ['heap'], message }]);
});

it('an entry of allowFaults that is none is told with the nearest fault', () => {
  const fields = { bootstrapServers: ['k1:9092'], allowFaults: ['leader-electoin'] };
  expect(messagesOf({ kind: 'external', ...fields })).toBe(
    'no fault named "leader-electoin". Did you mean "leader-election"? See `ackproof list faults`.',
  );
  expect(messagesOf({ kind: 'external', ...fields, allowFaults: [5] })).toMatch(/^the name of a fault is wanted here/);
});

it('a place of the write-ahead log is named beside that of the data, and never alone', () => {
  const key = { env: 'AUDIT_KEY' };
  const store = { endpoint: 'http://127.0.0.1:9000', bucket: 'b', accessKey: key, secretKey: key };
  const fields = { kind: 'external', bootstrapServers: ['k1:9092'], walStore: store };
  expect(messagesOf({ ...fields, objectStore: store })).toBe('');
  expect(messagesOf(fields)).toMatch(/name both/);
});
