import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeResponseFrame, encodeRequestFrame, FrameSplitter, type ResponseInput } from '../../wire/protocol.ts';
import type { Handlers } from './handler.ts';
import { KafkaListener } from './kafka-listener.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const lines: string[] = [];
const write = (text: string): void => {
  lines.push(text);
};

const listen = async (handlers: Partial<Handlers>, admits?: () => boolean): Promise<KafkaListener> => {
  const log = { info: write, warn: write, error: write };
  const listener = await KafkaListener.open(
    { host: '127.0.0.1', port: 0 },
    'client',
    handlers as Handlers,
    log,
    admits,
  );
  open.push(() => listener.close());
  return listener;
};

/** A bare client: correlation ids of answers in the order in which they came. */
const dial = (port: number): { readonly socket: Socket; readonly frames: Buffer[]; readonly closed: Promise<void> } => {
  const socket = connect(port, '127.0.0.1');
  const splitter = new FrameSplitter();
  const frames: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => frames.push(...splitter.push(chunk)));
  socket.on('error', () => undefined);
  open.push(() => socket.destroy());
  return { socket, frames, closed: new Promise((resolve) => socket.on('close', () => resolve())) };
};

const produceFrame = (correlationId: number): Buffer =>
  encodeRequestFrame('Produce', 7, { correlationId, clientId: 'c' }, { acks: -1, timeoutMs: 1000, topicData: [] });
const heartbeatFrame = (correlationId: number): Buffer =>
  encodeRequestFrame(
    'Heartbeat',
    0,
    { correlationId, clientId: 'c' },
    { groupId: 'g', generationId: 1, memberId: 'm' },
  );

const idsOf = (frames: readonly Buffer[]): readonly number[] => frames.map((frame) => frame.readInt32BE(0));

describe('a connection', () => {
  it('works on produce requests together and answers them in order', async () => {
    const waiting: ((answer: ResponseInput<'Produce'>) => void)[] = [];
    const Produce = async () => await new Promise<ResponseInput<'Produce'>>((resolve) => waiting.push(resolve));
    const { port } = await listen({ Produce });
    const { socket, frames } = dial(port);
    socket.write(Buffer.concat([produceFrame(1), produceFrame(2), produceFrame(3)]));
    await expect.poll(() => waiting.length).toBe(3);
    for (const answer of waiting.toReversed()) answer({ responses: [] });
    await expect.poll(() => idsOf(frames)).toEqual([1, 2, 3]);
  });

  it('lets any other request wait for those before it', async () => {
    const events: string[] = [];
    let answerProduce: ((answer: ResponseInput<'Produce'>) => void) | undefined;
    const { port } = await listen({
      Produce: async () => {
        events.push('produce');
        return await new Promise<ResponseInput<'Produce'>>((resolve) => {
          answerProduce = resolve;
        });
      },
      Heartbeat: () => {
        events.push('heartbeat');
        return { errorCode: 0 };
      },
    });
    const { socket, frames } = dial(port);
    socket.write(Buffer.concat([produceFrame(1), heartbeatFrame(2), produceFrame(3)]));
    await expect.poll(() => events).toEqual(['produce']);
    answerProduce?.({ responses: [] });
    await expect.poll(() => events).toEqual(['produce', 'heartbeat', 'produce']);
    answerProduce?.({ responses: [] });
    await expect.poll(() => idsOf(frames)).toEqual([1, 2, 3]);
  });

  it('is read no further while too much of it waits, and goes on afterwards', async () => {
    const waiting: ((answer: ResponseInput<'Produce'>) => void)[] = [];
    const Produce = async () => await new Promise<ResponseInput<'Produce'>>((resolve) => waiting.push(resolve));
    const { port } = await listen({ Produce });
    const { socket, frames } = dial(port);
    const count = 300;
    for (let id = 0; id < count; id++) socket.write(produceFrame(id));
    await expect.poll(() => waiting.length).toBe(64);
    const answered = setInterval(() => {
      for (const answer of waiting.splice(0)) answer({ responses: [] });
    }, 1);
    await expect.poll(() => frames.length, { timeout: 5000 }).toBe(count);
    clearInterval(answered);
    expect(idsOf(frames)).toEqual(Array.from({ length: count }, (_, id) => id));
  });

  it('is closed, with a line in the log, when a handler fails; others go on', async () => {
    const { port } = await listen({
      Heartbeat: (request) => {
        if (request.groupId === 'g') throw new Error('a bug');
        return { errorCode: 0 };
      },
    });
    const first = dial(port);
    const second = dial(port);
    first.socket.write(heartbeatFrame(1));
    await first.closed;
    expect(lines.join('\n')).toMatch(/closing client connection of 127\.0\.0\.1:\d+: a bug/);
    const good = { groupId: 'h', generationId: 1, memberId: 'm' };
    second.socket.write(encodeRequestFrame('Heartbeat', 0, { correlationId: 9, clientId: null }, good));
    await expect.poll(() => second.frames.length).toBe(1);
    expect(decodeResponseFrame('Heartbeat', 0, second.frames[0]!)).toMatchObject({ correlationId: 9 });
  });

  it('tells its handlers when it is gone', async () => {
    let gone: AbortSignal | undefined;
    const { port } = await listen({
      Heartbeat: async (_, context) => {
        gone = context.signal;
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        return { errorCode: 0 };
      },
    });
    const { socket } = dial(port);
    socket.write(heartbeatFrame(1));
    await expect.poll(() => gone?.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => gone?.aborted).toBe(true);
  });

  it('is not taken while the listener admits nobody', async () => {
    const { port } = await listen({}, () => false);
    await dial(port).closed;
  });
});
