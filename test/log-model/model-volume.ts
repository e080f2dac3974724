// The volume process of the model: the real service over a disk in memory, each of whose writes is a step of its own, so that whatever
// can come between them does. A cut of power drops the service: requests under way get no answer, what it had not written is gone,
// and of the write in its hand a half may be there. It is up again at once.

import { StoreUnavailable } from '../../src/embedded/log/store-unavailable.ts';
import type { Disk } from '../../src/embedded/volume/disk.ts';
import type { VolumeAnswer, VolumeRequest, VolumeTransport } from '../../src/embedded/volume/protocol.ts';
import { VolumeService } from '../../src/embedded/volume/volume-service.ts';
import type { Network } from './simulated-store.ts';
import type { Happening, Process, World } from './world.ts';

/** Requests that change something. */
const CHANGES: ReadonlySet<VolumeRequest['op']> = new Set([
  'attach',
  'write',
  'sync',
  'fence',
  'discard',
  'create',
  'put',
  'commit',
  'remove',
]);

type Files = Map<string, Uint8Array>;

const written = (old: Uint8Array | undefined, at: number, bytes: Uint8Array): Uint8Array => {
  const file = new Uint8Array(Math.max(old?.length ?? 0, at + bytes.length));
  if (old !== undefined) file.set(old);
  file.set(bytes, at);
  return file;
};

/** The disk as one boot has it: once power was cut, nothing that it was asked happens any more. */
class BootDisk implements Disk {
  readonly #files: Files;
  readonly #step: (label: string, half: () => void) => Promise<void>;
  isCut = false;

  constructor(files: Files, step: (label: string, half: () => void) => Promise<void>) {
    this.#files = files;
    this.#step = step;
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve([...this.#files.keys()].sort());
  }

  size(name: string): Promise<number> {
    return Promise.resolve(this.#files.get(name)?.length ?? 0);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#step(`disk puts ${name}`, () => undefined);
    this.#files.set(name, bytes.slice());
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#files.get(name));
  }

  async write(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    await this.#step(`disk writes ${name}`, () => this.#files.set(name, written(this.#files.get(name), at, half)));
    this.#files.set(name, written(this.#files.get(name), at, bytes));
  }

  async read(name: string, at: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    bytes.set((this.#files.get(name) ?? new Uint8Array(0)).subarray(at, at + length));
    return await Promise.resolve(bytes);
  }

  async remove(name: string): Promise<void> {
    await this.#step(`disk removes ${name}`, () => undefined);
    this.#files.delete(name);
  }
}

export class ModelVolume {
  readonly #world: World;
  readonly #files: Files = new Map();
  #lastId = 0;
  #disk: BootDisk;
  #service: Promise<VolumeService>;
  /** What ends the requests under way, and the half of each disk write in hand. */
  #underWay = new Set<() => void>();
  #inHand = new Set<() => void>();
  /** Called before each request that changes something is performed. */
  beforeChange: (request: VolumeRequest) => void = () => undefined;
  /** Called while a write to the disk is in hand. */
  onDisk: () => void = () => undefined;

  constructor(world: World) {
    this.#world = world;
    this.#disk = this.#newDisk();
    this.#service = this.#boot();
  }

  cutPower(): void {
    this.#world.note(() => 'power is cut');
    this.#disk.isCut = true;
    for (const half of [...this.#inHand]) half();
    for (const end of [...this.#underWay]) end();
    this.#inHand = new Set();
    this.#underWay = new Set();
    this.#disk = this.#newDisk();
    this.#service = this.#boot();
  }

  /** Undefined: power was cut before it could answer. */
  async perform(request: VolumeRequest, bytes: Uint8Array | undefined): Promise<VolumeAnswer | undefined> {
    if (CHANGES.has(request.op)) this.beforeChange(request);
    return await new Promise((resolve) => {
      const end = (): void => resolve(undefined);
      this.#underWay.add(end);
      void this.#service
        .then(async (service) => await service.perform(request, bytes?.slice()))
        .then((answer) => {
          this.#underWay.delete(end);
          resolve(answer);
        });
    });
  }

  async #boot(): Promise<VolumeService> {
    return await VolumeService.open(this.#disk, () => `id-${++this.#lastId}`);
  }

  #newDisk(): BootDisk {
    const isCut = (): boolean => disk.isCut;
    const disk: BootDisk = new BootDisk(this.#files, async (label, half) => {
      if (isCut()) await new Promise(() => undefined);
      await new Promise<void>((resolve) => {
        this.#inHand.add(half);
        this.#world.network.push({
          label: () => label,
          happen: () => {
            if (isCut()) return;
            this.onDisk();
            this.#inHand.delete(half);
            if (!isCut()) resolve();
          },
        });
      });
    });
    return disk;
  }
}

/** What a request is about, for traces and hand-made schedules. */
const describe = (request: VolumeRequest): string => {
  if ('volume' in request) return `${request.op} ${request.volume}`;
  if ('path' in request) return `${request.op} ${request.path}`;
  return 'handle' in request ? `${request.op} ${request.handle}` : `${request.op} ${request.prefix}`;
};

/** The volume process as one broker reaches it, by the same bad network as the store. A write without an answer is half written. */
export class SimulatedVolume implements VolumeTransport {
  readonly #world: World;
  readonly #process: Process;
  readonly #volume: ModelVolume;
  readonly #network: Network;

  constructor(world: World, process: Process, volume: ModelVolume, network: Network) {
    this.#world = world;
    this.#process = process;
    this.#volume = volume;
    this.#network = network;
  }

  async call(request: VolumeRequest, bytes?: Uint8Array): Promise<VolumeAnswer> {
    const what = describe(request);
    const fate = this.#network.fateOf(what);
    this.#world.note(() => `${this.#process.name} sends ${what}${fate === 'served' ? '' : `, which will be ${fate}`}`);
    return await new Promise<VolumeAnswer>((resolve, reject) => {
      const giveUp = (): void => this.#deliver(`no answer to ${what}`, () => reject(new StoreUnavailable(what, true)));
      const arrival = (answered: boolean, part = bytes): Happening => ({
        label: () => `${what} of ${this.#process.name} arrives`,
        happen: () => {
          void this.#volume.perform(request, part).then((answer) => {
            if (!answered) return;
            if (answer === undefined) giveUp();
            else this.#deliver(`${answer.status} to ${what}`, () => resolve(answer));
          });
        },
      });
      if (fate === 'served' || fate === 'twice') this.#world.network.push(arrival(true));
      if (fate === 'unanswered') this.#world.network.push(arrival(false, bytes?.subarray(0, bytes.length / 2)));
      if (fate === 'held' || fate === 'twice') this.#world.held.push(arrival(false));
      if (fate !== 'served' && fate !== 'twice') giveUp();
    });
  }

  #deliver(what: string, happen: () => void): void {
    this.#world.deliver(this.#process, { label: () => `${this.#process.name} gets ${what}`, happen });
  }
}
