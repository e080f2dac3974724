// Ending a disturbance from a process that knows of it by its journal alone.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ModelVolumeNode } from '../../test/faults/model-volume-node.ts';
import { disturbVolumes, volumeDisturbances } from '../targets/volume-io.ts';
import type { UndoRecord } from './fault.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

let volume: ModelVolumeNode;
const never = new AbortController().signal;
const stall = { kind: 'stall', volumes: [], methods: ['write'], ttlMs: 60_000 } as const;

beforeEach(async () => {
  volume = new ModelVolumeNode();
  await volume.listen();
});

afterEach(async () => {
  await volume.die().catch(() => undefined);
  volume.remove();
});

const record = (): UndoRecord => ({
  fault: 'wal-io-stall',
  steps: [
    { do: 'end-volume-disturbance', node: 'volume', admin: { host: '127.0.0.1', port: volume.port }, name: 'ours' },
  ],
});

it('ends the one it names and no other, and says what is left until then', async () => {
  const admin = { host: '127.0.0.1', port: volume.port };
  await disturbVolumes(admin, 'ours', stall);
  await disturbVolumes(admin, 'of-another-fault', stall);
  expect(await leftOf(record(), freshReach())).toEqual([
    {
      what: 'volume is disturbed by ours',
      byHand: `curl -fsS -m 10 -X DELETE http://127.0.0.1:${volume.port}/disturbances/ours`,
    },
  ]);
  expect(await performUndo([record(), record()], freshReach(), never)).toEqual([]);
  expect(await leftOf(record(), freshReach())).toEqual([]);
  expect((await volumeDisturbances(admin)).map(({ name }) => name)).toEqual(['of-another-fault']);
});

it('has nothing to do where the process has ended: what it was asked for was in its memory', async () => {
  const gone = record();
  await volume.die();
  expect(await performUndo([gone], freshReach(), never)).toEqual([]);
  expect(await leftOf(gone, freshReach())).toEqual([]);
});
