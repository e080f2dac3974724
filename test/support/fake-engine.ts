// A Docker engine as far as ackproof asks it, over a unix socket: containers whose answers have the recorded shape, state that
// changes as the real one's does, and an event stream that can be broken.
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawContainer } from '../../src/targets/container-facts.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface FakeVolume {
  readonly Name: string;
  readonly Driver?: string;
  readonly CreatedAt?: string;
  readonly Labels: Readonly<Record<string, string>> | null;
  readonly Options: Readonly<Record<string, string>> | null;
}

/** Whether a thing with these labels passes the filters of a request. */
const carries = (labels: Readonly<Record<string, string>>, url: URL): boolean => {
  const filters = JSON.parse(url.searchParams.get('filters') ?? '{}') as { readonly label?: readonly string[] };
  return (filters.label ?? []).every((label) => {
    const [name = '', value] = label.split('=');
    const has = labels[name];
    return has !== undefined && (value === undefined || has === value);
  });
};

/** The body of a request. */
type Order = Readonly<Record<string, unknown>>;

const bodyOf = async (request: IncomingMessage): Promise<Order> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Order);
};

/** What a program printed, as an engine hands it over. */
const framed = (text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

export interface FakeEngineOptions {
  readonly apiVersion?: string;
  readonly minApiVersion?: string;
}

export class FakeEngine {
  /** `METHOD path` of every request, without its version and query. */
  readonly asked: string[] = [];
  readonly containers = new Map<string, RawContainer>();
  readonly volumes = new Map<string, FakeVolume>();
  /** Volumes that cannot be removed, because something else has them mounted. */
  readonly volumesInUse = new Set<string>();
  /** Containers that somebody else is removing already. */
  readonly beingRemoved = new Set<string>();
  /** Volumes that stay although the engine says that they were removed. */
  readonly volumesKept = new Set<string>();
  /** What a shell script prints, beside a container or in it. */
  prints: (script: string) => string = () => '';
  /** What is different about a container that is made. */
  madeWith: Partial<RawContainer> = {};
  /** What every name of an image means. */
  imageId = 'sha256:1';
  readonly #programs = new Map<string, string>();
  #made = 0;
  /** Requests whose `METHOD path` contains this get no answer. */
  silentOn: string | undefined;
  /** The address a container gets when it is connected to a network. */
  addressGiven = '172.18.0.3';
  /** What is counted for every container. */
  counters: Readonly<Record<string, unknown>> = {};
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #logs = new Set<{ readonly id: string; readonly response: ServerResponse }>();
  readonly #options: FakeEngineOptions;
  readonly path: string;

  private constructor(path: string, options: FakeEngineOptions) {
    this.path = path;
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
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

  /** What a container prints from now on, to everybody who follows its log. */
  print(id: string, text: string): void {
    for (const each of this.#logs) if (each.id === id) each.response.write(framed(text));
  }

  /** Cuts every log that is followed. */
  breakLogs(): void {
    for (const { response } of this.#logs) response.destroy();
    this.#logs.clear();
  }

  get openLogs(): number {
    return this.#logs.size;
  }

  /** Cuts every open event stream, as a restarted engine does. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://engine');
    const path = url.pathname.replace(/^\/v\d+\.\d+/u, '');
    const asked = `${request.method ?? ''} ${path}`;
    this.asked.push(asked);
    const removed = /^DELETE \/(containers|volumes)\/(.+)$/u.exec(asked);
    if (removed !== null) {
      response.writeHead(this.#remove(removed[1] === 'volumes', removed[2] ?? '')).end();
      return;
    }
    if (this.silentOn !== undefined && asked.includes(this.silentOn)) return;
    if (path === '/events') {
      this.#streams.add(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      return;
    }
    const order = await bodyOf(request);
    const script = this.#scriptOf(path);
    if (script !== undefined) {
      response.writeHead(200).end(framed(this.prints(script)));
      return;
    }
    if (this.#isFollowed(path, response)) return;
    const [status, body] = this.#reply(path, url, order);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  /** Keeps the log of a container open for whoever asks for it. */
  #isFollowed(path: string, response: ServerResponse): boolean {
    const id = /^\/containers\/([^/]+)\/logs$/u.exec(path)?.[1];
    if (id === undefined || !this.containers.has(id)) return false;
    const follower = { id, response };
    this.#logs.add(follower);
    response.on('close', () => this.#logs.delete(follower));
    response.writeHead(200).flushHeaders();
    return true;
  }

  #remove(isVolume: boolean, name: string): number {
    if (isVolume && this.volumesInUse.has(name)) return 409;
    if (isVolume && this.volumesKept.has(name)) return 204;
    if (this.beingRemoved.has(name)) {
      setTimeout(() => this.containers.delete(name), 100);
      return 409;
    }
    const isGone = isVolume ? this.volumes.delete(name) : this.containers.delete(name);
    return isGone ? 204 : 404;
  }

  /** The script whose output is asked for. */
  #scriptOf(path: string): string | undefined {
    const [, id = ''] = /^\/(?:containers\/([^/]+)\/logs|exec\/([^/]+)\/start)$/u.exec(path)?.filter(Boolean) ?? [];
    return this.#programs.get(id);
  }

  #reply(path: string, url: URL, order: Order): readonly [number, unknown?] {
    const { apiVersion = '1.41', minApiVersion = '1.12' } = this.#options;
    if (path === '/version') {
      return [
        200,
        { Version: '20.10.24', ApiVersion: apiVersion, MinAPIVersion: minApiVersion, Os: 'linux', Arch: 'amd64' },
      ];
    }
    if (path === '/containers/json') return [200, this.#listed(url)];
    if (path === '/containers/create') return this.#create(url.searchParams.get('name') ?? '', order);
    if (path === '/networks') return [200, []];
    if (path.startsWith('/volumes')) return this.#replyVolumes(path, url, order);
    return this.#replyOne(path, order);
  }

  #replyOne(path: string, order: Order): readonly [number, unknown?] {
    const [, kind = '', id = '', verb = ''] = /^\/(containers|networks)\/([^/]+)\/(.+)$/u.exec(path) ?? [];
    if (kind === 'networks') return this.#changeEndpoint(id, verb, order);
    const container = this.containers.get(id);
    if (container === undefined) return [404, { message: `No such container: ${id}` }];
    if (verb === 'json') return [200, container];
    if (verb === 'exec') return this.#exec(container, order);
    if (verb === 'stats') return [200, this.counters];
    return verb === 'update' ? this.#update(container, order) : this.#act(id, container, verb);
  }

  #exec({ Id, State }: RawContainer, order: Order): readonly [number, unknown?] {
    if (State.Status !== 'running') return [409, { message: `Container ${Id} is not running` }];
    return [201, { Id: this.#program(order) }];
  }

  /** Keeps a shell script until it is asked what it printed. */
  #program({ Cmd, Entrypoint }: Order): string {
    const words = [...((Entrypoint ?? []) as readonly string[]), ...((Cmd ?? []) as readonly string[])];
    this.#made++;
    const id = String(this.#made).padStart(64, 'f');
    this.#programs.set(id, words.at(-1) ?? '');
    return id;
  }

  /** A container is told back as it was ordered; a script in one of its own has run to its end as soon as it is made. */
  #create(called: string, { HostConfig, NetworkingConfig, ...order }: Order): readonly [number, unknown?] {
    const Config = Object.fromEntries(Object.entries(order).filter(([field]) => field !== 'name'));
    const isScript = Array.isArray(Config['Entrypoint']) && Config['Entrypoint'][0] === '/bin/sh';
    const Id = this.#program(Config);
    if (!isScript) this.#programs.delete(Id);
    const { EndpointsConfig = {} } = (NetworkingConfig ?? {}) as { readonly EndpointsConfig?: object };
    const Networks = Object.fromEntries(
      Object.entries(EndpointsConfig).map(([network, config]) => [network, { NetworkID: '', ...(config as object) }]),
    );
    const Status = isScript ? 'exited' : 'created';
    const Image = this.imageId;
    const raw = { Id, Name: `/${called}`, Image, Config, HostConfig, State: { Status }, NetworkSettings: { Networks } };
    this.containers.set(Id, { ...(raw as unknown as RawContainer), ...this.madeWith });
    return [201, { Id, Warnings: [] }];
  }

  /** A field that is 0 is left as it is. */
  #update(container: Mutable<RawContainer>, order: Order): readonly [number, unknown?] {
    const changes = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== 0));
    container.HostConfig = { ...container.HostConfig, ...changes };
    return [200, { Warnings: [] }];
  }

  #changeEndpoint(network: string, change: string, order: Order): readonly [number, unknown?] {
    const id = String(order['Container']);
    const container = this.containers.get(id);
    if (container === undefined) return [404, { message: `No such container: ${id}` }];
    const { NetworkSettings } = container;
    const networks = Object.entries(NetworkSettings?.Networks ?? {});
    const others = networks.filter(([, each]) => each.NetworkID !== network);
    const isThere = others.length < networks.length;
    const { Aliases = [], ...config } = (order['EndpointConfig'] ?? {}) as { readonly Aliases?: readonly string[] };
    if (isThere === (change === 'connect')) return [403, { message: 'endpoint already exists, or is not there' }];
    const entered = {
      NetworkID: network,
      IPAddress: this.addressGiven,
      MacAddress: '02:42:ac:12:00:03',
      Aliases: [...Aliases, id.slice(0, 12)],
      ...config,
    };
    const Networks = Object.fromEntries(change === 'connect' ? [...others, ['lab_m1', entered]] : others);
    (container as Mutable<RawContainer>).NetworkSettings = { ...NetworkSettings, Networks };
    return [200];
  }

  #listed(url: URL): readonly unknown[] {
    return [...this.containers.values()]
      .filter(({ Config }) => carries(Config.Labels ?? {}, url))
      .map(({ Id, Name, Config }) => ({ Id, Names: [Name], Labels: Config.Labels ?? {} }));
  }

  #replyVolumes(path: string, url: URL, order: Order): readonly [number, unknown?] {
    const name = /^\/volumes\/(.+)$/u.exec(path)?.[1];
    if (name === undefined) {
      return [200, { Volumes: [...this.volumes.values()].filter(({ Labels }) => carries(Labels ?? {}, url)) }];
    }
    if (name === 'create') {
      const {
        Name,
        Labels,
        DriverOpts = null,
        Driver = 'local',
      } = order as unknown as FakeVolume & {
        readonly DriverOpts?: Readonly<Record<string, string>> | null;
      };
      this.#made++;
      const made = { Name, Labels, Options: DriverOpts, Driver, CreatedAt: `made as number ${this.#made}` };
      if (!this.volumes.has(Name)) this.volumes.set(Name, made);
      return [201, this.volumes.get(Name)];
    }
    const found = this.volumes.get(name);
    return found === undefined ? [404, { message: `No such volume: ${name}` }] : [200, found];
  }

  #act(id: string, { State }: RawContainer, verb: string): readonly [number, unknown?] {
    const { Running = false, Paused = false } = State;
    const change = CHANGES[verb];
    if (change === undefined) return [404, { message: 'page not found' }];
    // A script has run to its end as soon as it is started.
    if (verb === 'start' && this.#programs.has(id)) return [204];
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
