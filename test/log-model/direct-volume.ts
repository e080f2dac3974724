// A volume process in this one that answers at once, over a folder that a test brings; its power can be cut at any moment.
import { FolderDisk } from '../../src/embedded/volume/disk.ts';
import type { VolumeAnswer, VolumeRequest, VolumeTransport } from '../../src/embedded/volume/protocol.ts';
import { VolumeService } from '../../src/embedded/volume/volume-service.ts';

export class DirectVolume implements VolumeTransport {
  readonly #folder: string;
  #service: VolumeService | undefined;
  /** Called before each request; what it returns is written instead of the bytes. */
  before: (request: VolumeRequest, bytes?: Uint8Array) => Uint8Array | undefined = (_request, bytes) => bytes;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async call(request: VolumeRequest, bytes?: Uint8Array): Promise<VolumeAnswer> {
    const given = this.before(request, bytes);
    this.#service ??= await VolumeService.open(await FolderDisk.open(this.#folder));
    return await this.#service.perform(request, given);
  }

  cutPower(): void {
    this.#service = undefined;
  }
}
