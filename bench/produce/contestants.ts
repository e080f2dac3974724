// Who is measured, and how each is called. What is not on this machine is told and left out; nothing of others is shipped.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environmentVariable } from '../../src/environment.ts';
import { findKafka } from '../../src/targets/kafka-home.ts';

/** What every contestant is asked for. */
export interface Order {
  readonly bootstrap: string;
  readonly topic: string;
  readonly partitions: number;
  /** Lanes for each partition, where the contestant has lanes. */
  readonly producers: number;
  /** Records of one request, where that can be chosen. */
  readonly batch: number;
  readonly bytes: number;
  readonly records: number;
  readonly folder: string;
}

export interface Call {
  readonly command: string;
  readonly words: readonly string[];
  readonly begins: string;
}

export interface Contestant {
  readonly name: string;
  /** Of the records that are asked for: those who need long send fewer, so that each is at work for about as long. */
  readonly share: number;
  call(order: Order): Call;
}

const SLOW = 0.25;

const shape = ({ partitions, producers, batch, bytes, records }: Order): readonly string[] =>
  [partitions, producers, batch, bytes, records].map(String);

const ours = (client: string, share: number): Contestant => ({
  name: `ackproof ${client}`,
  share,
  call: (order) => ({
    command: process.execPath,
    words: [
      join(import.meta.dirname, 'ackproof-load.js'),
      client,
      order.folder,
      order.bootstrap,
      order.topic,
      ...shape(order),
    ],
    begins: 'begins',
  }),
});

/** `named`: its records have a key and a header as long as ours. */
const plainKafkaJs = (name: string, record: 'value' | 'named'): Contestant => ({
  name,
  share: SLOW,
  call: (order) => ({
    command: process.execPath,
    words: [join(import.meta.dirname, 'plain-kafkajs.js'), record, order.bootstrap, order.topic, ...shape(order)],
    begins: 'begins',
  }),
});

const missing = (what: string, how: string): undefined => {
  process.stderr.write(`NOT MEASURED: ${what}. ${how}\n`);
  return undefined;
};

const sourceFolder = (): string => {
  const above = [2, 3, 4].map((up) =>
    resolve(import.meta.dirname, ...new Array<string>(up).fill('..'), 'bench', 'produce'),
  );
  const found = above.find((folder) => existsSync(join(folder, 'PaddedValue.java')));
  if (found === undefined) throw new Error('no bench/produce/PaddedValue.java above this file');
  return found;
};

/** The class that pads the values, compiled; undefined where there is no Java compiler. */
const compilePadding = (libs: string, folder: string): string | undefined => {
  try {
    execFileSync('javac', ['-cp', join(libs, '*'), '-d', folder, join(sourceFolder(), 'PaddedValue.java')]);
    return folder;
  } catch {
    return missing(
      'VerifiableProducer',
      'Its values are padded by a class of ours: install a JDK, so that javac is there.',
    );
  }
};

const verifiableProducer = async (folder: string): Promise<Contestant | undefined> => {
  const { libs, java } = await findKafka(undefined);
  const classes = compilePadding(libs, folder);
  if (classes === undefined) return undefined;
  const settings = join(folder, 'verifiable.properties');
  return {
    name: 'VerifiableProducer',
    share: SLOW,
    call: ({ bootstrap, topic, records, bytes }) => {
      writeFileSync(settings, `interceptor.classes=PaddedValue\npadded.value.bytes=${bytes}\n`);
      const words = [
        '--bootstrap-server',
        bootstrap,
        '--topic',
        topic,
        '--max-messages',
        String(records),
        '--acks',
        '-1',
      ];
      return {
        command: java,
        words: [
          '-cp',
          `${join(libs, '*')}:${classes}`,
          'org.apache.kafka.tools.VerifiableProducer',
          ...words,
          '--producer.config',
          settings,
        ],
        begins: 'startup_complete',
      };
    },
  };
};

/** From its public source (`go build ./cmd/kgo-verifier`); its licence is BSL 1.1, so it is measured and never shipped. */
const kgoVerifier = (remotePort: number): Contestant | undefined => {
  const command = environmentVariable('ACKPROOF_KGO_VERIFIER') ?? 'kgo-verifier';
  try {
    execFileSync(command, ['-topic', ''], { stdio: 'pipe' });
  } catch (thrown) {
    // Without a topic it refuses to start, which is how it shows that it is there.
    const isThere = (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
    if (!isThere) {
      return missing(
        'kgo-verifier',
        'Build it from its public source and put it on the PATH, or name it in ACKPROOF_KGO_VERIFIER.',
      );
    }
  }
  return {
    name: 'kgo-verifier',
    share: 1,
    call: ({ bootstrap, topic, bytes, records }) => ({
      command,
      words: [
        ...['-brokers', bootstrap, '-topic', topic, '-msg_size', String(bytes), '-produce_msgs', String(records)],
        ...['-remote-port', String(remotePort)],
      ],
      begins: 'Starting producer',
    }),
  };
};

/** In the order in which each round measures them. `folder` keeps what they need for as long as they are called. */
export const findContestants = async (folder: string, remotePort: number): Promise<readonly Contestant[]> =>
  [
    ours('wire', 1),
    kgoVerifier(remotePort),
    await verifiableProducer(folder),
    ours('kafkajs', SLOW),
    plainKafkaJs('plain kafkajs', 'value'),
    plainKafkaJs('the same, named', 'named'),
  ].filter((contestant) => contestant !== undefined);
