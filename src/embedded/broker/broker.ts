// A broker put together: the link to the controller tells it what to own, the logs keep what it is sent, two listeners speak
// Kafka's protocol, and an admin door serves the harness. It holds nothing that is not in the stores.
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import type { BrokerId, DefectName } from '../../vocabulary.ts';
import { type ClusterView, type Endpoint, OFFSETS_TOPIC } from '../cluster-view.ts';
import { freshId } from '../fresh-id.ts';
import { type JsonServer, startJsonServer } from '../json-over-http.ts';
import { kafkaBatchFormat } from '../log/kafka-batch-format.ts';
import { takeOver } from '../log/takeover.ts';
import type { ProgramLog } from '../program-log.ts';
import { S3Client } from '../s3-client/s3-client.ts';
import { VolumeClient } from '../wal/volume-client.ts';
import { createWal } from '../wal/wal-kinds.ts';
import { adminRoutes } from './admin-routes.ts';
import { AppendFailures } from './append-failures.ts';
import type { BrokerConfig } from './broker-config.ts';
import type { BrokerServices } from './broker-services.ts';
import { ControllerLink } from './controller-link.ts';
import { GroupCoordinator } from './groups/group-coordinator.ts';
import { allHandlers } from './handlers/all-handlers.ts';
import { IsolationWatch } from './isolation-watch.ts';
import { KafkaListener } from './kafka-listener.ts';
import { OwnedPartitions } from './owned-partitions.ts';
import { ProducerIds } from './producer-ids.ts';
import { ReadCounters } from './read-counters.ts';

/** A volume is of all its partitions: who fences it for one of them has fenced it for all. */
const OF_WHOLE_VOLUMES: readonly DefectName[] = ['attach-without-fencing'];
/** Connections to each store. */
const MOST_SOCKETS = 32;
/** Steps of a graceful stop, after the uploads. */
const DRAIN_MS = 250;
/** On a busy machine the controller takes its time, and going without a word costs everybody a session. */
const RESIGN_MS = 1500;
/** Long enough for a client on a busy machine to ask once more. */
const LINGER_MS = 600;

export interface BrokerPorts {
  readonly client: number;
  readonly direct: number;
  readonly admin: number;
}

export class Broker {
  private readonly config: BrokerConfig;
  private readonly clock: Clock;
  private readonly log: ProgramLog;
  private readonly controller: ControllerLink;
  private readonly partitions: OwnedPartitions;
  private readonly groups: GroupCoordinator;
  private readonly services: BrokerServices;
  private readonly isolation: IsolationWatch;
  private clientListener: KafkaListener | undefined;
  private directListener: KafkaListener | undefined;
  private admin: JsonServer | undefined;
  private stopping = false;

  constructor(config: BrokerConfig, clock: Clock, log: ProgramLog) {
    this.config = config;
    this.clock = clock;
    this.log = log;
    this.controller = new ControllerLink({
      ...config,
      incarnation: freshId(),
      clock,
      log,
      onView: (view) => this.follow(view),
    });
    this.partitions = this.makePartitions();
    this.groups = new GroupCoordinator({
      clock,
      log,
      settings: {
        initialDelayMs: config.groupInitialDelayMs,
        newMemberId: (clientId) => `${clientId === '' ? 'member' : clientId}-${freshId()}`,
      },
      isAssigned: (partition) => this.isCoordinating(partition),
    });
    this.services = {
      brokerId: config.brokerId,
      clock,
      log,
      view: () => this.controller.view,
      controller: this.controller,
      partitions: this.partitions,
      groups: this.groups,
      producerIds: new ProducerIds(async () => await this.controller.producerIds()),
      reads: new ReadCounters(),
      failures: new AppendFailures(log),
      isStopping: () => this.stopping,
    };
    this.isolation = new IsolationWatch({
      clock,
      log,
      sessionTimeoutMs: config.sessionTimeoutMs,
      silentMs: () => this.controller.silentMs,
      assigned: () => this.partitions.all().filter((entry) => !entry.topic.internal),
      onIsolated: () => this.clientListener?.dropConnections(),
    });
  }

  /** Listens, registers with the controller and begins to serve. Throws an AckproofError when it cannot. */
  async start(): Promise<BrokerPorts> {
    const { client, direct, admin, startTimeoutMs } = this.config;
    const handlers = allHandlers(this.services);
    const isOpen = (): boolean => !this.isolation.isIsolated;
    const clientListener = await KafkaListener.open(client, 'client', handlers, this.log, isOpen);
    this.clientListener = clientListener;
    const directListener = await KafkaListener.open(direct, 'direct', handlers, this.log);
    this.directListener = directListener;
    this.admin = await startJsonServer(admin, adminRoutes(this.services));
    const advertised: Endpoint = {
      host: client.advertisedHost,
      port: client.advertisedPort === 0 ? clientListener.port : client.advertisedPort,
    };
    await this.controller.start(advertised, { host: direct.host, port: directListener.port }, startTimeoutMs);
    void this.isolation.run();
    void this.services.producerIds.prepare().catch((thrown: unknown) => {
      this.log.warn(`no producer ids yet: ${describeError(thrown)}`);
    });
    return { client: clientListener.port, direct: directListener.port, admin: this.admin.port };
  }

  /** A graceful stop: upload what is acknowledged, hand leadership over, then go. Ends even if stores and controller are away. */
  async stop(): Promise<void> {
    this.isolation.stop();
    this.clientListener?.stopAccepting();
    this.directListener?.stopAccepting();
    await this.flush();
    this.stopping = true;
    await this.drain();
    await this.controller.resign(RESIGN_MS).catch((thrown: unknown) => {
      this.log.warn(`could not hand leadership over: ${describeError(thrown)}`);
    });
    // Clients that ask now learn who leads; after that there is nobody to ask here.
    await this.clock.sleep(LINGER_MS);
    this.partitions.close();
    this.groups.close();
    this.controller.close();
    this.clientListener?.close();
    this.directListener?.close();
    await this.admin?.close();
    this.log.info('stopped');
  }

  private makePartitions(): OwnedPartitions {
    const { config, clock, log } = this;
    const store = (endpoint: Endpoint): S3Client =>
      new S3Client({
        endpoint,
        bucket: config.stores.bucket,
        clientName: `broker/${config.brokerId}`,
        timeoutMs: config.storeTimeoutMs,
        maxSockets: MOST_SOCKETS,
      });
    const { meta, wal, walKind, data } = config.stores;
    const metaStore = store(meta);
    const openedWal = createWal(walKind, {
      brokerId: config.brokerId,
      meta: metaStore,
      objects: () => store(wal),
      volume: () => new VolumeClient({ endpoint: wal, timeoutMs: config.storeTimeoutMs, maxSockets: MOST_SOCKETS }),
    });
    const defects = new Set(config.defects);
    const internalDefects = new Set(OF_WHOLE_VOLUMES.filter((name) => defects.has(name)));
    return new OwnedPartitions({
      brokerId: config.brokerId as BrokerId,
      stores: { meta: metaStore, wal: openedWal, data: store(data) },
      format: kafkaBatchFormat,
      takeover: takeOver,
      clock,
      log,
      // Committed offsets are kept well whatever is switched on, so that a defect shows where scenarios look for it.
      defectsOf: (topic) => (topic.internal ? internalDefects : defects),
      limits: { uploadIntervalMs: config.uploadIntervalMs },
      raiseEpoch: async (topicId, partition, above) => {
        await this.controller.raiseEpoch(topicId, partition, above);
      },
      onOwned: (topic, partition, partitionLog) => {
        if (topic.name === OFFSETS_TOPIC) this.groups.own(partition, partitionLog);
      },
    });
  }

  private follow(view: ClusterView): void {
    this.partitions.follow(view);
  }

  private isCoordinating(partition: number): boolean {
    const topic = this.controller.view.topics.find((candidate) => candidate.name === OFFSETS_TOPIC);
    return topic !== undefined && this.partitions.find(topic.topicId, partition) !== undefined;
  }

  private async flush(): Promise<void> {
    const signal = AbortSignal.timeout(this.config.stopGraceMs);
    const logs = this.partitions.logs();
    const flushed = await Promise.all(logs.map(async (log) => await log.flush(signal)));
    const missing = flushed.filter((isFlushed) => !isFlushed).length;
    if (missing > 0) this.log.warn(`stopping with ${missing} logs not uploaded; the write-ahead log has them`);
  }

  /** Lets appends that are under way end. */
  private async drain(): Promise<void> {
    const until = this.clock.now() + DRAIN_MS;
    const isPending = (): boolean => this.partitions.logs().some((log) => log.stats().pendingBytes > 0);
    while (isPending() && this.clock.now() < until) await this.clock.sleep(5);
  }
}
