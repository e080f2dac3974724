// The clients, sorted by name. A client's own code is loaded when it is first opened: a scenario is checked without it.
import type { ClientDefinition } from './client.ts';
import { retiring, retiringSplit } from './retiring-lane.ts';

export const CLIENT_REGISTRY: readonly ClientDefinition[] = [
  {
    kind: 'kafkajs',
    summary: 'kafkajs 2.2.4 with a tap on its sockets: what it reports is held against the bytes it received.',
    retries: ['none'],
    openLane: async (options) => retiring((await import('./kafkajs-lane.ts')).openKafkaJsLane(options)),
    openSplitLane: async (options) => retiringSplit((await import('./kafkajs-lane.ts')).openKafkaJsSplitLane(options)),
    openReader: async (options) => await (await import('./kafkajs-reader.ts')).openKafkaJsReader(options),
  },
  {
    kind: 'wire',
    summary: "ackproof's own client on its own codec: every attempt visible, every checksum verified.",
    retries: ['none', 'same-batch'],
    openLane: async (options) => retiring((await import('./wire-lane.ts')).openWireLane(options)),
    openReader: async (options) => await (await import('./wire-reader.ts')).openWireReader(options),
  },
];

/** The client called `kind`; undefined when there is none. */
export const clientNamed = (kind: string): ClientDefinition | undefined =>
  CLIENT_REGISTRY.find((client) => client.kind === kind);
