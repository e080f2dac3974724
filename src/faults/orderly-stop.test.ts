import { createServer } from 'node:net';
import { describe, expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn } from '../../test/faults/run-on.ts';
import { systemClock } from '../clock.ts';
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

/** What is left of a process on a machine that gives it a turn only every `ms`. */
const starved = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  let isOver = false;
  const waste = (): void => {
    const until = systemClock.now() + ms;
    while (systemClock.now() < until);
    if (!isOver) setImmediate(waste);
  };
  waste();
  try {
    return await work();
  } finally {
    isOver = true;
  }
};

describe('an orderly stop', () => {
  // Red before: the model's broker had ended within the one turn that its watch had, and nobody saw what it handed over.
  modelTest('moved its leaders before its end on a machine on which every turn takes long', async ({ target }) => {
    const scene = await sceneOn(target);
    const stop = await starved(80, async () => await stopNode(scene, 'broker/2', 5000, never, () => undefined));
    expect(stop).toMatchObject({ exitCode: 0, movedBefore: true });
  });

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
