// The volume process in this one, for tests of faults: the real service over a folder that goes with the cluster. It can be stopped,
// frozen and started again on the same port.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenAt } from '../../src/embedded/link-proxy/address.ts';
import { FolderDisk } from '../../src/embedded/volume/disk.ts';
import { createVolumeServer } from '../../src/embedded/volume/volume-server.ts';
import { VolumeService } from '../../src/embedded/volume/volume-service.ts';

export class ModelVolumeNode {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ackproof-model-volume-'));
  port = 0;
  delayMs = 0;
  isFull = false;
  #server: Server | undefined;
  #frozen: (() => void)[] | undefined;

  get ports(): readonly number[] {
    return [this.port];
  }

  async listen(): Promise<void> {
    const service = await VolumeService.open(await FolderDisk.open(this.#folder));
    const inner = createVolumeServer(service, () => undefined);
    const server = createServer((message, answer) => {
      const take = (): void => void inner.emit('request', message, answer);
      if (this.#frozen !== undefined) this.#frozen.push(take);
      else if (this.delayMs > 0) setTimeout(take, this.delayMs);
      else take();
    });
    ({ port: this.port } = await listenAt(server, { host: '127.0.0.1', port: this.port }));
    this.#server = server;
  }

  async die(): Promise<void> {
    this.#frozen = undefined;
    const server = this.#server;
    await new Promise((done) => {
      server?.close(done);
      server?.closeAllConnections();
    });
  }

  freeze(): void {
    this.#frozen = [];
  }

  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const resume of waiting) resume();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
