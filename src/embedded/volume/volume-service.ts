// What the volume process does with a request. One object is one boot of it: everything that was not synced is in its memory, so
// that whoever drops it has cut the power.
import { InternalError } from '../../errors.ts';
import { freshId } from '../fresh-id.ts';
import { BlockVolume } from './block-volume.ts';
import type { Disk } from './disk.ts';
import type { AnswerKind, VolumeAnswer, VolumeRequest } from './protocol.ts';
import { SharedDirectory } from './shared-directory.ts';

type BlockRequest = Extract<VolumeRequest, { readonly volume: string }>;
type FileRequest = Exclude<VolumeRequest, BlockRequest>;
type Said = Omit<VolumeAnswer, 'boot'>;

const NO_BYTES = new Uint8Array(0);

export class VolumeService {
  readonly boot: string;
  readonly #disk: Disk;
  readonly #volumes: Map<string, BlockVolume>;
  readonly #directory: SharedDirectory;

  private constructor(disk: Disk, volumes: Map<string, BlockVolume>, directory: SharedDirectory, boot: string) {
    this.#disk = disk;
    this.#volumes = volumes;
    this.#directory = directory;
    this.boot = boot;
  }

  /** `newId` names this boot and the handles of files. */
  static async open(disk: Disk, newId: () => string = freshId): Promise<VolumeService> {
    return new VolumeService(disk, await BlockVolume.all(disk), await SharedDirectory.open(disk, newId), newId());
  }

  /**
   * Answers a request whose bytes are all there. One that comes in parts is performed for each as it comes, with `skip` bytes of
   * it done before: what breaks off has written a part.
   */
  async perform(request: VolumeRequest, bytes: Uint8Array = NO_BYTES, skip = 0): Promise<VolumeAnswer> {
    const said =
      'volume' in request ? await this.#onVolume(request, bytes, skip) : await this.#onFile(request, bytes, skip);
    return { ...said, boot: this.boot };
  }

  async #onVolume(request: BlockRequest, bytes: Uint8Array, skip: number): Promise<Said> {
    if (request.op === 'attach') return { status: await this.#attach(request.volume, request.holder) };
    const volume = this.#volumes.get(request.volume);
    if (volume === undefined) return { status: 'missing' };
    switch (request.op) {
      case 'write':
        return { status: volume.write(request.holder, request.at + skip, bytes) };
      case 'sync':
        return { status: this.#sees(request.boot) ? await volume.sync(request.holder) : 'power-cut' };
      case 'fence':
        await volume.fence();
        return { status: 'done' };
      case 'extent':
        return { status: 'done', ...volume.extent() };
      case 'read':
        return { status: 'done', bytes: await volume.read(request.at, request.length) };
      case 'discard':
        return { status: await volume.discard(request.holder, request.below) };
    }
  }

  async #onFile(request: FileRequest, bytes: Uint8Array, skip: number): Promise<Said> {
    switch (request.op) {
      case 'create': {
        const { handle, existed } = await this.#directory.create(request.path);
        return { status: existed ? 'exists' : 'done', handle };
      }
      case 'put':
        return { status: this.#directory.write(request.handle, skip, bytes) };
      case 'commit':
        return { status: this.#sees(request.boot) ? await this.#directory.commit(request.handle) : 'power-cut' };
      case 'check':
        return { status: this.#directory.check(request.handle) };
      case 'get': {
        const found = await this.#directory.get(request.path);
        return found === undefined ? { status: 'missing' } : { status: 'done', ...found };
      }
      case 'remove':
        await this.#directory.remove(request.path);
        return { status: 'done' };
      case 'names':
        return { status: 'done', names: this.#directory.names(request.prefix) };
    }
  }

  async #attach(name: string, holder: string): Promise<AnswerKind> {
    if (!/^[\w-]+$/.test(name)) throw new InternalError('VOLUME_NAME', `"${name}" is no name of a volume.`);
    const known = this.#volumes.get(name);
    const volume = known ?? BlockVolume.create(this.#disk, name, holder);
    this.#volumes.set(name, volume);
    await volume.ready;
    return volume.isHeldBy(holder) ? 'done' : 'fenced';
  }

  /** Whether what was written under `boot` is still there to be synced. */
  #sees(boot: string | undefined): boolean {
    return boot === undefined || boot === this.boot;
  }
}
