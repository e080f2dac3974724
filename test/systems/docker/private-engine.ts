// A Docker engine of a test's own, beside the one that serves everybody: with a network of its own, so that neither its ports nor its
// packet filters meet those of the other, and with its own files and socket. It can be stopped, killed and started again. It takes
// root, as dockerd does.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { useOwnImages } from '../../support/own-images.ts';
import { type ProgramResult, runProgram, startProgram } from '../../support/program.ts';

const READY_MS = 30_000;

const isUp = (host: string): boolean => {
  try {
    execFileSync('docker', ['version'], { env: { ...process.env, DOCKER_HOST: host }, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export class PrivateEngine implements AsyncDisposable {
  readonly folder: string;
  readonly host: string;
  /** Holds the network while the engine is down. */
  readonly #holder: ChildProcess;
  #daemon: ChildProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.host = `unix://${join(folder, 'docker.sock')}`;
    this.#holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec sleep 100000'], {
      stdio: 'ignore',
    });
  }

  /** Returns once it answers and has the images of docker-compose.yml. */
  static async start(): Promise<PrivateEngine> {
    useOwnImages();
    const engine = new PrivateEngine(mkdtempSync(join(tmpdir(), 'ackproof-dockerd-')));
    mkdirSync(join(engine.folder, 'state'));
    await engine.#apart();
    await engine.up();
    const images = [process.env['ACKPROOF_KAFKA_IMAGE'] ?? '', process.env['ACKPROOF_TOXIPROXY_IMAGE'] ?? ''];
    execFileSync('sh', ['-c', `docker save ${images.join(' ')} | DOCKER_HOST=${engine.host} docker load`]);
    return engine;
  }

  /** Until its network is one of its own: before that, a daemon would change the packet filters of everybody. */
  async #apart(): Promise<void> {
    const networkOf = (pid: number | 'self'): string => readlinkSync(`/proc/${pid}/ns/net`);
    const until = Date.now() + READY_MS;
    while (networkOf(this.#holder.pid ?? 'self') === networkOf('self')) {
      if (Date.now() > until) throw new Error('No network namespace can be made here: this takes root.');
      await delay(10);
    }
  }

  /** For programs that are to use it. */
  get env(): Readonly<Record<string, string>> {
    return { DOCKER_HOST: this.host, XDG_STATE_HOME: join(this.folder, 'state') };
  }

  /** What puts a program into its network. */
  get within(): readonly string[] {
    return ['nsenter', `--net=/proc/${this.#holder.pid ?? 0}/ns/net`];
  }

  async run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramResult> {
    return await runProgram(words, { ...this.env, ...env }, this.within);
  }

  startRun(words: readonly string[]): ReturnType<typeof startProgram> {
    return startProgram(words, this.env, this.within);
  }

  /** Docker's own command against it. */
  docker(...words: readonly string[]): string {
    return execFileSync('docker', [...words], { env: { ...process.env, DOCKER_HOST: this.host }, encoding: 'utf8' });
  }

  /** Starts it, unless it runs. */
  async up(): Promise<void> {
    if (this.#daemon !== undefined) return;
    const log = openSync(join(this.folder, 'dockerd.log'), 'a');
    const [program = '', ...words] = this.within;
    const place = (name: string): string => join(this.folder, name);
    const files = ['--data-root', place('data'), '--exec-root', place('exec'), '--pidfile', place('docker.pid')];
    this.#daemon = spawn(program, [...words, 'dockerd', '-H', this.host, ...files], { stdio: ['ignore', log, log] });
    closeSync(log);
    const until = Date.now() + READY_MS;
    while (!isUp(this.host)) {
      if (Date.now() > until) throw new Error(`dockerd does not answer; see ${place('dockerd.log')}`);
      await delay(100);
    }
  }

  /** Ends it, and every container with it. */
  async down(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const daemon = this.#daemon;
    if (daemon === undefined) return;
    this.#daemon = undefined;
    const ended = once(daemon, 'exit');
    daemon.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    this.#holder.kill('SIGKILL');
    // A daemon that was killed leaves its mounts behind.
    const mounts = `grep -o ' ${this.folder}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`;
    execFileSync('sh', ['-c', mounts], { stdio: 'ignore' });
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
