import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FAULTS } from '../vocabulary.ts';
import { faultSchema } from './fault-schema.ts';
import { FAULT_REGISTRY } from './registry.ts';

const kill = { fault: 'process-kill', victim: { leaderOf: 'orders/0' }, at: '10s', duration: '5s' };
const problems = (written: unknown): string[] => {
  const result = faultSchema.safeParse(written);
  return (result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

describe('the schema of a fault', () => {
  it('fills every field of the shortest kill', () => {
    expect(faultSchema.parse(kill)).toEqual({
      fault: 'process-kill',
      victim: { kind: 'leaderOf', topic: 'orders', partition: 0 },
      at: { kind: 'time', offsetMs: 10_000 },
      durationMs: 5000,
      params: {},
      backend: 'auto',
      confirm: { timeoutMs: 10_000, require: 'all' },
      heal: { timeoutMs: 30_000 },
      allow: [],
    });
  });

  it('knows every fault of the vocabulary, in order', () => {
    expect(FAULT_REGISTRY.map((declaration) => declaration.kind)).toEqual([...FAULTS].sort());
  });

  it('reads params into milliseconds with their defaults', () => {
    const entry = faultSchema.parse({
      fault: 'network-latency',
      victim: { broker: 1 },
      at: { pass: 'cold', offset: '1s' },
      duration: '2s',
      params: { latency: '200ms' },
    });
    expect(entry.params).toEqual({ latency: 200, jitter: 0, direction: 'downstream', path: 'client' });
    expect(entry.at).toEqual({ kind: 'pass', pass: 'cold', offsetMs: 1000 });
  });

  it('reads every way of beginning and every way of choosing a victim', () => {
    expect(faultSchema.parse({ ...kill, at: { afterAcks: 500 } }).at).toEqual({ kind: 'acks', count: 500 });
    const victims = [{ followerOf: 'a.b/3' }, { random: 1 }, { controller: 'leader' }, { objectStore: true }];
    expect(victims.map((victim) => faultSchema.parse({ ...kill, victim }).victim)).toEqual([
      { kind: 'followerOf', topic: 'a.b', partition: 3 },
      { kind: 'random', count: 1 },
      { kind: 'controller' },
      { kind: 'object-store' },
    ]);
  });

  it('names the nearest fault for a slip', () => {
    expect(problems({ ...kill, fault: 'proces-kill' })[0]).toContain('Did you mean "process-kill"?');
    expect(problems({ ...kill, fault: 'proces-kill' })[0]).toContain('fault: There is no fault named');
  });

  it('refuses bare numbers with the unit to write, also inside at', () => {
    expect(problems({ ...kill, duration: 5 })[0]).toContain('duration: 5 has no unit');
    expect(problems({ ...kill, at: 10 })[0]).toContain('10 has no unit');
    expect(problems({ ...kill, confirm: { timeout: '10' } })[0]).toContain('confirm.timeout');
  });

  it('refuses a victim the fault has no use for and lists what it takes', () => {
    const [problem] = problems({ ...kill, victim: { all: true } });
    expect(problem).toContain('{leaderOf: topic/partition}');
    expect(problem).not.toContain('{all: true}');
    expect(problems({ ...kill, victim: { leaderOf: 'orders' } })[0]).toContain('orders/0');
    expect(problems({ ...kill, victim: { random: 0 } })[0]).toContain('random');
    expect(problems({ ...kill, victim: undefined })[0]).toContain('victim');
  });

  it('refuses unknown keys at every level and reports all problems of an entry together', () => {
    const found = problems({ ...kill, durations: 1, params: { signal: 'KILL' }, heal: { timeout: 3 }, at: 'soon' });
    expect(found).toHaveLength(4);
    expect(found.join('\n')).toContain('durations');
    expect(found.join('\n')).toContain('signal');
  });

  it('refuses a duration where the fault ends by itself, and demands one elsewhere', () => {
    const roll = { fault: 'rolling-restart', at: '1s' };
    expect(problems(roll)).toEqual([]);
    expect(problems({ ...roll, duration: '5s' })[0]).toContain('ends by itself');
    expect(problems({ ...kill, duration: undefined })[0]).toContain('duration');
  });

  it('demands the permission that a destructive fault needs, and knows no other', () => {
    const outage = { fault: 'all-brokers-kill', at: '1s', duration: '2s' };
    expect(problems(outage)[0]).toContain('allow: all-brokers-kill needs "allow: [full-outage]"');
    expect(problems({ ...outage, allow: ['full-outage'] })).toEqual([]);
    expect(problems({ ...outage, allow: ['full-outage', 'destroy-state'] })[0]).toContain('Known: full-outage');
    expect(problems({ ...kill, allow: ['full-outage'] })[0]).toContain('Known: quorum-loss');
    const cut = { fault: 'network-partition', victim: { random: 1 }, at: '1s', duration: '2s' };
    expect(problems({ ...cut, allow: ['full-outage'] })[0]).toContain('Known: quorum-loss');
    expect(problems({ ...cut, fault: 'client-partition', allow: ['full-outage'] })[0]).toContain('needs no permission');
  });

  it('can be shown to editors as draft-07', () => {
    const schema = z.toJSONSchema(faultSchema, { io: 'input', target: 'draft-7' });
    const text = JSON.stringify(schema);
    expect(text).toContain('"const":"process-kill"');
    expect(text).toContain('"additionalProperties":false');
    expect(text).toContain('(ms|s|m|h)$');
  });
});
