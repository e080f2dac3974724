// The clients, sorted by name.
import type { ClientDefinition } from './client.ts';
import { openKafkaJsLane } from './kafkajs-lane.ts';
import { openKafkaJsReader } from './kafkajs-reader.ts';
import { openWireLane } from './wire-lane.ts';
import { openWireReader } from './wire-reader.ts';

export const CLIENT_REGISTRY: readonly ClientDefinition[] = [
  {
    kind: 'kafkajs',
    summary: 'kafkajs 2.2.4 with a tap on its sockets: what it reports is held against the bytes it received.',
    retries: ['none'],
    openLane: openKafkaJsLane,
    openReader: openKafkaJsReader,
  },
  {
    kind: 'wire',
    summary: "ackproof's own client on its own codec: every attempt visible, every checksum verified.",
    retries: ['none', 'same-batch'],
    openLane: openWireLane,
    openReader: openWireReader,
  },
];

/** The client called `kind`; undefined when there is none. */
export const clientNamed = (kind: string): ClientDefinition | undefined =>
  CLIENT_REGISTRY.find((client) => client.kind === kind);
