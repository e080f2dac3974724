// A listening socket for Kafka's protocol. A broker has two: one for clients, whose metadata names advertised addresses, and
// a direct one for evidence, whose metadata names the direct addresses. Everything else is the same.
import { createServer, type Server } from 'node:net';
import { DEFAULT_MAX_FRAME_BYTES } from '../../wire/frame-splitter.ts';
import type { Endpoint } from '../cluster-view.ts';
import { listenOn } from '../json-over-http.ts';
import type { ProgramLog } from '../program-log.ts';
import type { Handlers, ListenerName } from './handler.ts';
import { KafkaConnection } from './kafka-connection.ts';

export class KafkaListener {
  readonly port: number;
  private readonly server: Server;
  private readonly connections: Set<KafkaConnection>;

  private constructor(server: Server, port: number, connections: Set<KafkaConnection>) {
    this.server = server;
    this.port = port;
    this.connections = connections;
  }

  /** While `admits` says no, new connections are closed at once. Throws an EnvironmentError when the port cannot be had. */
  static async open(
    endpoint: Endpoint,
    listener: ListenerName,
    handlers: Handlers,
    log: ProgramLog,
    admits: () => boolean = () => true,
  ): Promise<KafkaListener> {
    const connections = new Set<KafkaConnection>();
    const server = createServer((socket) => {
      if (!admits()) {
        socket.destroy();
        return;
      }
      const options = { listener, handlers, log, maxFrameBytes: DEFAULT_MAX_FRAME_BYTES };
      const connection = new KafkaConnection(socket, options);
      connections.add(connection);
      socket.on('close', () => connections.delete(connection));
    });
    return new KafkaListener(server, await listenOn(server, endpoint), connections);
  }

  /** Takes no new connections; those that are open go on. */
  stopAccepting(): void {
    this.server.close();
  }

  /** Ends every connection that is open now. */
  dropConnections(): void {
    for (const connection of this.connections) connection.close();
  }

  close(): void {
    this.server.close();
    this.dropConnections();
  }
}
