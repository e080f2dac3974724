// A Docker engine as far as ackproof asks it, over a unix socket: containers whose answers have the recorded shape, state that
// changes as the real one's does, and an event stream that can be broken.
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawContainer } from '../../src/targets/container-facts.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface FakeEngineOptions {
  readonly apiVersion?: string;
  readonly minApiVersion?: string;
}

export class FakeEngine {
  /** `METHOD path` of every request, without its version and query. */
  readonly asked: string[] = [];
  readonly containers = new Map<string, RawContainer>();
  /** Requests whose `METHOD path` contains this get no answer. */
  silentOn: string | undefined;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #options: FakeEngineOptions;
  readonly path: string;

  private constructor(path: string, options: FakeEngineOptions) {
    this.path = path;
    this.#options = options;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(options: FakeEngineOptions = {}): Promise<FakeEngine> {
    const engine = new FakeEngine(join(tmpdir(), `ackproof-engine-${process.pid}-${performance.now()}.sock`), options);
    await new Promise<void>((resolve) => engine.#server.listen(engine.path, resolve));
    return engine;
  }

  get url(): string {
    return `unix://${this.path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    rmSync(this.path, { force: true });
  }

  /** Changes a container as if something else had done it. */
  change(id: string, state: Partial<RawContainer['State']>): void {
    const container = this.containers.get(id);
    if (container !== undefined) (container as Mutable<RawContainer>).State = { ...container.State, ...state };
  }

  emit(edge: Readonly<Record<string, unknown>>): void {
    for (const stream of this.#streams) stream.write(`${JSON.stringify(edge)}\n`);
  }

  /** Cuts every open event stream, as a restarted engine does. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://engine');
    const path = url.pathname.replace(/^\/v\d+\.\d+/u, '');
    const asked = `${request.method ?? ''} ${path}`;
    this.asked.push(asked);
    if (this.silentOn !== undefined && asked.includes(this.silentOn)) return;
    if (path === '/events') {
      this.#streams.add(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      return;
    }
    const [status, body] = this.#reply(path, url);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  #reply(path: string, url: URL): readonly [number, unknown?] {
    const { apiVersion = '1.41', minApiVersion = '1.12' } = this.#options;
    if (path === '/version') {
      return [
        200,
        { Version: '20.10.24', ApiVersion: apiVersion, MinAPIVersion: minApiVersion, Os: 'linux', Arch: 'amd64' },
      ];
    }
    if (path === '/containers/json') return [200, this.#listed(url)];
    const [, id = '', verb = ''] = /^\/containers\/([^/]+)\/(.+)$/u.exec(path) ?? [];
    const container = this.containers.get(id);
    if (container === undefined) return [404, { message: `No such container: ${id}` }];
    return verb === 'json' ? [200, container] : this.#act(id, container, verb);
  }

  #listed(url: URL): readonly { readonly Id: string }[] {
    const filters = JSON.parse(url.searchParams.get('filters') ?? '{}') as { readonly label?: readonly string[] };
    return [...this.containers.values()]
      .filter(({ Config }) =>
        (filters.label ?? []).every((label) => {
          const [name = '', value] = label.split('=');
          const has = Config.Labels?.[name];
          return has !== undefined && (value === undefined || has === value);
        }),
      )
      .map(({ Id }) => ({ Id }));
  }

  #act(id: string, { State }: RawContainer, verb: string): readonly [number, unknown?] {
    const { Running = false, Paused = false } = State;
    const change = CHANGES[verb];
    if (change === undefined) return [404, { message: 'page not found' }];
    if (verb === 'start' && Running) return [304];
    if (!change.allowed(Running, Paused)) return [409, { message: `Container ${id} cannot ${verb} now` }];
    this.change(id, change.to);
    return [204];
  }
}

const CHANGES: Readonly<
  Record<
    string,
    { readonly to: Partial<RawContainer['State']>; readonly allowed: (runs: boolean, paused: boolean) => boolean }
  >
> = {
  kill: {
    allowed: (runs) => runs,
    to: { Running: false, Paused: false, Status: 'exited', ExitCode: 137, Pid: 0 },
  },
  pause: { allowed: (runs, paused) => runs && !paused, to: { Paused: true, Status: 'paused' } },
  unpause: { allowed: (_, paused) => paused, to: { Paused: false, Status: 'running' } },
  start: {
    allowed: () => true,
    to: { Running: true, Status: 'running', ExitCode: 0, Pid: 5001, StartedAt: '2026-11-30T06:00:00.5Z' },
  },
};
