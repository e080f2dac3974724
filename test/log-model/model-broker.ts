// A broker of the model: it takes the partition over when it is told to, keeps every ownership it ever had in this life (a
// former owner does not know that it is one), and answers whoever asks it.
import type { DefectSet, LogLimits, LogStores, PartitionLog } from '../../src/embedded/log/interfaces.ts';
import { takeOver } from '../../src/embedded/log/takeover.ts';
import { createWal } from '../../src/embedded/wal/wal-kinds.ts';
import type { BrokerId, WalKind } from '../../src/vocabulary.ts';
import { type ModelVolume, SimulatedVolume } from './model-volume.ts';
import type { Oracle } from './oracle.ts';
import { type Network, SimulatedStore, type StoreContents } from './simulated-store.ts';
import { tinyBatchFormat } from './tiny-batch.ts';
import { clockOf, type Process, type World } from './world.ts';

export interface BrokerSettings {
  readonly world: World;
  readonly contents: StoreContents;
  readonly wal: WalKind;
  readonly volume: ModelVolume;
  readonly network: Network;
  readonly oracle: Oracle;
  readonly defects: DefectSet;
  readonly limits: Partial<LogLimits>;
}

export class ModelBroker {
  readonly process: Process;
  readonly #settings: BrokerSettings;
  readonly #stores: LogStores;
  #logs: PartitionLog[] = [];
  #attempts = 0;

  constructor(settings: BrokerSettings, name: string) {
    this.#settings = settings;
    this.process = settings.world.start(name);
    const { world, contents, wal, volume, network } = settings;
    const store = new SimulatedStore(world, this.process, contents, network);
    let lastId = 0;
    const parts = {
      brokerId: 1,
      meta: store,
      objects: () => store,
      volume: () => new SimulatedVolume(world, this.process, volume, network),
      newId: () => `${name}-${++lastId}`,
    };
    this.#stores = { meta: store, wal: createWal(wal, parts), data: store };
  }

  /** Ownerships that have not ended, as far as this broker knows. */
  get logs(): readonly PartitionLog[] {
    this.#logs = this.#logs.filter((log) => log.isOwner);
    return this.process.isDead || this.process.isPaused ? [] : this.#logs;
  }

  /** The controller has assigned the partition to this broker. */
  assign(epoch: number): void {
    const { world, oracle, defects, limits } = this.#settings;
    const { name } = this.process;
    const takeover = takeOver({
      stores: this.#stores,
      format: tinyBatchFormat,
      clock: clockOf(this.process),
      topicId: 't',
      partition: 0,
      brokerId: 1 as BrokerId,
      epoch,
      nonce: `${name}-${++this.#attempts}`,
      defects,
      limits,
      onEvent: (event) => {
        if (event.kind === 'ended' && event.because.includes('DAMAGED')) oracle.violate(`${name}: ${event.because}`);
        world.note(() => `${name} in epoch ${epoch}: ${JSON.stringify(event)}`);
      },
    });
    takeover.then(
      (result) => {
        if (result.status === 'owner' && !this.process.isDead) this.#logs.push(result.log);
      },
      (thrown: unknown) => oracle.violate(`the takeover of ${name} failed: ${String(thrown)}`),
    );
  }
}
