import { createServer } from 'node:net';
import { describe, expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn } from '../../test/faults/run-on.ts';
import { stopNode } from './orderly-stop.ts';
import { openScene, type Scene } from './process-fault.ts';

const never = new AbortController().signal;

const sceneOn = async (target: ModelTarget): Promise<Scene> => {
  const broker = target.brokers.find(({ id }) => id === 2);
  if (broker === undefined) throw new Error('the model has no broker 2');
  const victims = { nodes: [broker.node], brokers: [broker], chosen: 'broker 2' };
  return await openScene('graceful-stop', contextOn(target), victims, never);
};

/** The other brokers as one sees them on a machine that is too busy: they take connections and say nothing in time. */
const withSilentOthers = async (scene: Scene, work: (silent: Scene) => Promise<void>): Promise<void> => {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const direct = { host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
  const { target } = scene.context;
  const brokers = target.brokers.map((broker) => (broker.id === 2 ? broker : { ...broker, direct }));
  try {
    await work({ ...scene, context: { ...scene.context, target: { ...target, brokers } } });
  } finally {
    server.close();
  }
};

describe('an orderly stop', () => {
  modelTest(
    'moved its leaders before its end where the broker itself said so, however late others are',
    async ({ target }) => {
      await withSilentOthers(await sceneOn(target), async (scene) => {
        expect(await stopNode(scene, 'broker/2', 5000, never, () => undefined)).toMatchObject({
          exitCode: 0,
          movedBefore: true,
        });
      });
    },
  );

  modelTest('did not where neither the broker nor the others say so', async ({ target }) => {
    target.cluster.handsOver = false;
    await withSilentOthers(await sceneOn(target), async (scene) => {
      expect(await stopNode(scene, 'broker/2', 5000, never, () => undefined)).toMatchObject({
        exitCode: 0,
        movedBefore: false,
      });
    });
  });
});
