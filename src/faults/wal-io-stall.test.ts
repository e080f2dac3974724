import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';
import { volumeDisturbances } from '../targets/volume-io.ts';

describe.concurrent('wal-io-stall', () => {
  modelTest(
    'holds the I/O of one broker’s volumes, while another’s and the process itself are well',
    async ({ target }) => {
      const { outcome, samples, edges } = await runUntil(target, { fault: 'wal-io-stall', victim: { broker: 2 } });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const shown = samples.filter(({ holds }) => holds).map(({ kind, seen }) => `${kind} ${seen}`);
      for (const begins of [
        'mechanism volume reads back stall of broker-2-*',
        'effect a scratch of broker/2: timeout',
        'control the volume process: ok',
        'control the volume of broker/1: ok',
        'control the object store directly: ok',
      ]) {
        expect(
          shown.some((each) => each.startsWith(begins)),
          begins,
        ).toBe(true);
      }
      expect(edges[0]?.undo?.steps).toMatchObject([{ do: 'end-volume-disturbance', node: 'volume' }]);
      expect(await volumeDisturbances(target.can.volumeIo.admin)).toEqual([]);
    },
  );

  modelTest('holds all I/O where the whole disk is the victim', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'wal-io-stall' });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ seen }) => seen.startsWith('volume reads back stall of all volumes'))).toBe(true);
  });

  modelTest(
    'holds files of a directory that all brokers share, and refuses to hold those of one broker',
    async ({ target }) => {
      const volumeIo = { ...target.can.volumeIo, isShared: true };
      const shared = { ...target, can: { ...target.can, volumeIo } };
      const { outcome } = await runUntil(shared, { fault: 'wal-io-stall' });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const one = await runOn(shared, { fault: 'wal-io-stall', victim: { broker: 2 }, duration: '1s' });
      expect(one.outcome.reason).toContain('no broker has a disk of its own');
    },
  );

  modelTest('is unconfirmed once the process has forgotten it', async ({ target }) => {
    const { port } = target.cluster.volume;
    const forget = async (): Promise<void> => {
      const address = { host: '127.0.0.1', port };
      const [standing] = await volumeDisturbances(address);
      await fetch(`http://127.0.0.1:${port}/disturbances/${standing?.name ?? ''}`, { method: 'DELETE' });
    };
    let forgotten: Promise<void> | undefined;
    const { outcome } = await runUntil(
      target,
      { fault: 'wal-io-stall' },
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') forgotten ??= forget();
        },
      },
    );
    await forgotten;
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toContain('ended-early');
  });
});
