// Faults of containers end to end on a real Docker engine: each is confirmed by what the kernel and the engine tell, felt by a client,
// and put back as it was. What it takes is dockerd and the images of `npm run images`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshHex } from '../../src/random.ts';
import { containersOfRun, usualEngine } from '../../src/targets/container-heal.ts';
import { startTarget } from '../../src/targets/registry.ts';
import type { StartedTarget } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from '../faults/run-on.ts';
import { useOwnImages } from '../support/own-images.ts';
import { describeSystem } from '../support/systems.ts';

const MINUTES = 60_000;
const MIB = 1024 ** 2;
const VICTIM = 'broker/2';
const signal = new AbortController().signal;

describeSystem('docker', () => {
  let directory: string;
  let target: StartedTarget;

  beforeAll(async () => {
    useOwnImages();
    directory = mkdtempSync(join(tmpdir(), 'ackproof-containers-'));
    const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'compose', project: 'ackproof-containers' });
    const runId = `containers-${freshHex(6)}`;
    target = await startTarget(spec, { runId, runDirectory: directory, defects: [], signal });
  }, 20 * MINUTES);

  afterAll(async () => {
    await target[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }, 5 * MINUTES);

  /** What of the victim must come back. */
  const state = async () => {
    const { containers } = target.can;
    const endpoints = (await containers?.endpoints(VICTIM))?.map((endpoint) => ({ ...endpoint, sinceMs: 0 }));
    return { limits: await containers?.limits(VICTIM), endpoints };
  };

  /** Hardly more than is in use: a kernel may refuse less, and the broker wants more before long. */
  const squeeze = async () => {
    const bytes = (await target.can.containers?.usage(VICTIM))?.memoryBytes ?? 0;
    return { limit: `${Math.ceil(bytes / MIB) + 1}MiB` };
  };

  it.each([
    { fault: 'node-isolate' },
    { fault: 'cpu-throttle', params: { quota: '5%' } },
    { fault: 'memory-pressure' },
    { fault: 'oom-kill' },
    { fault: 'disk-full' },
  ])(
    '$fault is confirmed, and leaves everything as it was',
    async (written) => {
      const before = await state();
      const params = written.fault === 'memory-pressure' ? { params: await squeeze() } : {};
      const seen = await runUntil(target, { victim: { broker: 2 }, ...written, ...params });
      expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-8))).toBeUndefined();
      expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
      expect(await state()).toEqual(before);
      expect(target.casualties?.()).toEqual([]);
    },
    5 * MINUTES,
  );

  it.each(['packet-loss', 'packet-corrupt', 'packet-duplicate', 'packet-reorder'])(
    '%s is refused with a sentence where the kernel has no netem, confirmed where it has, and leaves nothing',
    async (fault) => {
      const before = await state();
      const seen = await runUntil(target, { fault, victim: { broker: 2 }, params: { percent: '20%' } });
      const missing = /The kernel of the Docker engine has no netem \(sch_netem\)/u;
      if (missing.test(seen.outcome.reason ?? '')) process.stderr.write(`${fault} was refused: no netem here.\n`);
      else expect(edgeNames(seen), seen.outcome.reason).toEqual(WHOLE_LIFE);
      expect(await state()).toEqual(before);
      expect((await target.can.containers?.disturbanceState(VICTIM))?.interfaces).toBe(0);
    },
    5 * MINUTES,
  );

  // Red before: a paused container, in which no program can be run, read as one that nothing is done to.
  it('what is done to the packets of a paused container is looked at from beside it, and nobody stays there', async () => {
    const runId = `beside-${freshHex(6)}`;
    const disturbance = { name: `${runId}-loss`, runId, how: 'loss', share: 0.1, correlation: 0 } as const;
    await target.can.processes?.pause(VICTIM, signal);
    try {
      const left = await target.can.containers?.disturbanceLeft(VICTIM, disturbance, signal);
      expect(left).toEqual({ interfaces: 0, holders: 0 });
      await target.can.containers?.endDisturbance(VICTIM, disturbance, signal);
    } finally {
      await target.can.processes?.resume(VICTIM, signal);
    }
    expect(await containersOfRun(usualEngine(), runId)).toEqual([]);
  });
});
