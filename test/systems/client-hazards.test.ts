// What clients tell of records whose acknowledgement is lost on the way, on a real broker with a real Toxiproxy: the rows of
// docs/clients.md: kafkajs by itself, kcat, and the lanes of both of ackproof's clients.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type * as KafkaJs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Lane } from '../../src/clients/client.ts';
import { clientNamed } from '../../src/clients/registry.ts';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import { describeSystem, needKcat } from '../support/systems.ts';
import { type LossyKafka, startLossyKafka } from './hazards/lossy-kafka.ts';

const { Kafka, logLevel } = createRequire(import.meta.url)('kafkajs') as typeof KafkaJs;

const UNLIMITED = 1000;
const LEADER = 1;
const ROUNDS = 12;

let kafka: LossyKafka;
let turn = 0;

/** The topic of one test, led by broker 1. */
const freshTopic = async (leaders: readonly number[] = [LEADER]): Promise<string> => {
  const topic = `hazard-${turn++}`;
  await kafka.createTopic(topic, leaders);
  return topic;
};

describeSystem('kafka', () => {
  beforeAll(async () => {
    kafka = await startLossyKafka();
  });
  afterAll(async () => await kafka[Symbol.asyncDispose]());

  describe('kafkajs by itself', () => {
    interface Options {
      readonly idempotent: boolean;
      readonly retries: number;
    }

    const connected = async ({ idempotent, retries }: Options): Promise<KafkaJs.Producer> => {
      const library = new Kafka({
        clientId: 'hazards',
        brokers: kafka.bootstrap.map(({ host, port }) => `${host}:${port}`),
        logLevel: logLevel.NOTHING,
        requestTimeout: 1500,
        retry: { initialRetryTime: 50, maxRetryTime: 200, retries: UNLIMITED },
      });
      const producer = library.producer({
        idempotent,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        retry: { initialRetryTime: 50, maxRetryTime: 200, retries },
      });
      await producer.connect();
      return producer;
    };

    /** What the application is told: the offset, or that it failed. */
    const told = async (producer: KafkaJs.Producer, topic: string, value: string): Promise<number | 'error'> => {
      try {
        const [row] = await producer.send({ topic, acks: -1, messages: [{ value, partition: 0 }] });
        return Number(row?.baseOffset);
      } catch {
        return 'error';
      }
    };

    /** Two sends at once whose first answer is lost: what was told, and what is there behind a first record. */
    const twoAtOnce = async () => {
      const topic = await freshTopic();
      const producer = await connected({ idempotent: true, retries: UNLIMITED });
      expect(await told(producer, topic, 'W')).toBe(0);
      const heal = await kafka.loseAnswers(LEADER);
      const sending = Promise.all([told(producer, topic, 'A'), told(producer, topic, 'B')]);
      await kafka.untilStored(topic, 2);
      await heal();
      const offsets = await sending;
      await producer.disconnect();
      return { offsets, stored: await kafka.stored(topic) };
    };

    test('row 1: idempotent, two sends at once, one answer lost: one acked record is nowhere, the other twice', async () => {
      // Which of the two is sent first once the path is whole is a matter of chance: if it is the stored one, all is well.
      const rounds: Awaited<ReturnType<typeof twoAtOnce>>[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await twoAtOnce());
      const well = rounds.filter(({ stored }) => new Set(stored).size === 3);
      const hazards = rounds.filter(({ stored }) => new Set(stored).size === 2);
      for (const { offsets, stored } of well) expect(offsets.map((at) => stored[Number(at)])).toEqual(['A', 'B']);
      // The lost one was acknowledged at the offset of the other, whichever of them that is.
      const ways = [
        { offsets: [2, 1], stored: ['W', 'A', 'A'] },
        { offsets: [1, 2], stored: ['W', 'B', 'B'] },
      ];
      for (const hazard of hazards) expect(ways).toContainEqual(hazard);
      expect(well.length + hazards.length, JSON.stringify(rounds)).toBe(ROUNDS);
      expect(hazards.length, JSON.stringify(rounds)).toBeGreaterThan(0);
      process.stderr.write(`row 1: ${hazards.length} of ${ROUNDS} rounds lost an acked record\n`);
    });

    test('row 2: idempotent, it gives up on a record that is stored: the next one is acked and never stored', async () => {
      const topic = await freshTopic();
      const producer = await connected({ idempotent: true, retries: 2 });
      expect(await told(producer, topic, 'W')).toBe(0);
      const heal = await kafka.loseAnswers(LEADER);
      const first = await told(producer, topic, 'A');
      await heal();
      const others = [await told(producer, topic, 'B'), await told(producer, topic, 'C')];
      await producer.disconnect();
      expect({ first, others, stored: await kafka.stored(topic) }).toEqual({
        first: 'error',
        others: [1, 2],
        stored: ['W', 'A', 'C'],
      });
    });

    test.each([true, false])(
      'row 3: one send to two partitions, one of which has moved to the other broker: it is never sent (idempotent: %s)',
      async (idempotent) => {
        const topic = await freshTopic([1, 2]);
        const producer = await connected({ idempotent, retries: UNLIMITED });
        const messages = [0, 1].map((partition) => ({ value: 'W', partition }));
        expect(await producer.send({ topic, acks: -1, messages })).toHaveLength(2);
        await kafka.lead(topic, 1, 1);
        const moved = [0, 1].map((partition) => ({ value: 'X', partition }));
        const results = await producer.send({ topic, acks: -1, messages: moved });
        await producer.disconnect();
        expect(results.map(({ partition }) => partition)).toEqual([0]);
        expect(await kafka.stored(topic, 0)).toEqual(['W', 'X']);
        // A new leader shows what it has once its followers have asked it.
        await vi.waitFor(async () => expect(await kafka.stored(topic, 1)).toEqual(['W']), { timeout: 20_000 });
      },
    );

    test('row 4: idempotent, one after the other, one lost answer each: all is as told', async () => {
      const topic = await freshTopic();
      const producer = await connected({ idempotent: true, retries: UNLIMITED });
      const offsets: (number | 'error')[] = [];
      for (const [index, value] of ['A', 'B', 'C'].entries()) {
        const heal = await kafka.loseAnswers(LEADER);
        const sending = told(producer, topic, value);
        await kafka.untilStored(topic, index + 1);
        await heal();
        offsets.push(await sending);
      }
      await producer.disconnect();
      expect({ offsets, stored: await kafka.stored(topic) }).toEqual({ offsets: [0, 1, 2], stored: ['A', 'B', 'C'] });
    });

    test('row 5: not idempotent, two retries, all answers lost: an honest error, and the record three times', async () => {
      const topic = await freshTopic();
      const producer = await connected({ idempotent: false, retries: 2 });
      expect(await told(producer, topic, 'W')).toBe(0);
      const heal = await kafka.loseAnswers(LEADER, 'silence');
      const first = await told(producer, topic, 'A');
      await heal();
      await producer.disconnect();
      expect({ first, stored: await kafka.stored(topic) }).toEqual({ first: 'error', stored: ['W', 'A', 'A', 'A'] });
    });
  });

  describeSystem('kcat', () => {
    beforeAll(needKcat);

    /** What kcat reads at once, so that it takes each record as it comes. */
    const LINE_BYTES = 65_536;

    /** W, then A, B and C in batches of their own, one at a time, the answer to A lost: how it ended, and what is there. */
    const produced = async (...settings: readonly string[]) => {
      const topic = await freshTopic();
      const bootstrap = kafka.bootstrap.map(({ host, port }) => `${host}:${port}`).join(',');
      const onePerBatch = ['-X', 'batch.num.messages=1', '-X', 'max.in.flight=1', '-X', 'linger.ms=0'];
      const kcat = spawn('kcat', ['-P', '-b', bootstrap, '-t', topic, '-p', '0', ...onePerBatch, ...settings]);
      let said = '';
      kcat.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
      const ended = new Promise<number | null>((done) => kcat.once('close', done));
      const line = (value: string): string => `${value.padEnd(LINE_BYTES - 1, '.')}\n`;
      kcat.stdin.write(line('W'));
      await kafka.untilStored(topic, 1);
      const heal = await kafka.loseAnswers(LEADER);
      kcat.stdin.end(line('A') + line('B') + line('C'));
      await kafka.untilStored(topic, 2);
      await heal();
      const exitCode = await ended;
      const stored = await kafka.stored(topic);
      return { exitCode, said, stored: stored.map((value) => value.replace(/\.+$/u, '')) };
    };

    const failures = (said: string): number => said.split('Delivery failed').length - 1;

    test.each([
      { row: 8, settings: [], exitCode: 0, stored: ['W', 'A', 'A', 'B', 'C'], failed: 0 },
      {
        row: 9,
        settings: ['-E', '-X', 'enable.idempotence=false'],
        exitCode: 0,
        stored: ['W', 'A', 'A', 'B', 'C'],
        failed: 0,
      },
      {
        row: 10,
        settings: ['-E', '-X', 'enable.idempotence=true'],
        exitCode: 0,
        stored: ['W', 'A', 'B', 'C'],
        failed: 0,
      },
      { row: 11, settings: ['-E', '-X', 'retries=0'], exitCode: 1, stored: ['W', 'A', 'B', 'C'], failed: 1 },
    ])('row $row: with $settings it ends with $exitCode', async ({ settings, exitCode, stored, failed }) => {
      const seen = await produced(...settings);
      expect({ exitCode: seen.exitCode, stored: seen.stored, failed: failures(seen.said) }, seen.said).toEqual({
        exitCode,
        stored,
        failed,
      });
    });
  });

  describe("ackproof's lanes", () => {
    interface Options {
      readonly client: string;
      readonly idempotence: boolean;
      readonly retry: 'none' | 'same-batch';
    }

    const openLane = async (topic: string, { client, ...rest }: Options): Promise<Lane> => {
      const definition = clientNamed(client);
      if (definition === undefined) throw new Error(`there is no client ${client}`);
      return await definition.openLane({
        ...rest,
        bootstrap: kafka.bootstrap,
        clientId: `hazards-${client}`,
        topic,
        partition: 0,
        acks: 'all',
        attemptTimeoutMs: 4000,
        deliveryTimeoutMs: 30_000,
        profile: APACHE_KAFKA_PROFILE,
      });
    };

    const record = (value: string) => ({ key: Buffer.from(value), value: Buffer.from(value), headers: {} });

    /** One record whose first answer is lost, after one that was acknowledged. */
    const withLostAnswer = async (options: Options) => {
      const topic = await freshTopic();
      const lane = await openLane(topic, options);
      expect(await lane.send([record('W')])).toMatchObject({ outcome: 'ok', baseOffset: 0 });
      const heal = await kafka.loseAnswers(LEADER);
      const sending = lane.send([record('A')]);
      await kafka.untilStored(topic, 2);
      await heal();
      const result = await sending;
      return { topic, lane, result };
    };

    test.each(['kafkajs', 'wire'])('%s without retries: unknown, stored once, and the lane ends', async (client) => {
      const { topic, lane, result } = await withLostAnswer({ client, idempotence: false, retry: 'none' });
      expect(result).toMatchObject({ outcome: 'unknown', attempts: 1 });
      expect(result.clientAnomaly).toBeUndefined();
      await expect(lane.send([record('B')])).rejects.toMatchObject({ code: 'LANE_RETIRED' });
      await lane.close();
      expect(await kafka.stored(topic)).toEqual(['W', 'A']);
    });

    test('wire that sends the same batch again: acknowledged, tainted, and told to be there twice', async () => {
      const { topic, lane, result } = await withLostAnswer({ client: 'wire', idempotence: false, retry: 'same-batch' });
      expect(result).toMatchObject({ outcome: 'ok', tainted: true });
      await lane.close();
      const stored = await kafka.stored(topic);
      expect(stored.slice(0, 2)).toEqual(['W', 'A']);
      expect(stored).toHaveLength(1 + result.attempts);
      expect(result.baseOffset).toBe(stored.length - 1);
    });

    test.each([
      { client: 'wire', retry: 'same-batch' as const },
      { client: 'kafkajs', retry: 'none' as const },
    ])('$client, idempotent: acknowledged, tainted, stored once at the offset it tells', async ({ client, retry }) => {
      const { topic, lane, result } = await withLostAnswer({ client, idempotence: true, retry });
      expect(result).toMatchObject({ outcome: 'ok', baseOffset: 1, tainted: true });
      expect(result.attempts).toBeGreaterThan(1);
      expect(await lane.send([record('B')])).toMatchObject({ outcome: 'ok', baseOffset: 2 });
      await lane.close();
      expect(await kafka.stored(topic)).toEqual(['W', 'A', 'B']);
    });
  });
});
