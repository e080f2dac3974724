// One proxy: an address to listen on, an upstream, toxics, and the links through it. Disabling closes the listener and cuts
// the links; the toxics stay.
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { type Address, formatAddress, listenAt } from './address.ts';
import { cannotListen, toxicExists, toxicNotFound } from './api-error.ts';
import { Link, SOCKET_BUFFER_BYTES, type Traffic } from './link.ts';
import type { Stream, Toxic } from './stage.ts';
import { changedToxic, newToxic, type ToxicJson, toxicJson } from './toxic-spec.ts';

export interface ProxyContext {
  readonly clock: Clock;
  /** Decides jitter, slices and toxicity draws. */
  readonly seed: number;
  readonly dialTimeoutMs: number;
  /** Takes the ports that were claimed for proxies which asked for any port. */
  readonly claimed: Set<number>;
}

export interface ProxyJson {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly ToxicJson[];
}

/** What passed through, now: counts and bytes since the program started, open links included. */
export interface ProxyTraffic {
  readonly open: number;
  readonly accepted: number;
  readonly dialFailures: number;
  readonly upstream: Traffic;
  readonly downstream: Traffic;
  readonly links: readonly LinkTraffic[];
}

export interface LinkTraffic {
  readonly number: number;
  /** Port of the client's side of its connection to the proxy. */
  readonly clientPort: number;
  /** Port of the proxy's side of its connection to the upstream; 0 while dialling. */
  readonly upstreamPort: number;
  /** Wall clock. */
  readonly openedAtMs: number;
  readonly upstream: Traffic;
  readonly downstream: Traffic;
}

const NOTHING: Traffic = { receivedBytes: 0, passedBytes: 0 };

const sum = (one: Traffic, other: Traffic): Traffic => ({
  receivedBytes: one.receivedBytes + other.receivedBytes,
  passedBytes: one.passedBytes + other.passedBytes,
});

export class LinkProxy {
  readonly name: string;
  readonly #context: ProxyContext;
  readonly #links = new Set<Link>();
  #listen: Address;
  #upstream: Address;
  #toxics: readonly Toxic[] = [];
  #server: Server | undefined;
  #accepted = 0;
  #dialFailures = 0;
  #closedTraffic: Readonly<Record<Stream, Traffic>> = { upstream: NOTHING, downstream: NOTHING };

  constructor(name: string, listen: Address, upstream: Address, context: ProxyContext) {
    this.name = name;
    this.#listen = listen;
    this.#upstream = upstream;
    this.#context = context;
  }

  get listen(): Address {
    return this.#listen;
  }

  get upstream(): Address {
    return this.#upstream;
  }

  json(): ProxyJson {
    return {
      name: this.name,
      listen: formatAddress(this.#listen),
      upstream: formatAddress(this.#upstream),
      enabled: this.#server !== undefined,
      toxics: this.toxics().map(toxicJson),
    };
  }

  /** Throws ApiError 500 when the address cannot be listened on; the proxy then stays disabled. */
  async enable(): Promise<void> {
    if (this.#server !== undefined) return;
    const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true, highWaterMark: SOCKET_BUFFER_BYTES };
    const server = createServer(options, (client) => this.#accept(client));
    const isAnyPort = this.#listen.port === 0;
    try {
      this.#listen = await listenAt(server, this.#listen);
      if (isAnyPort) this.#context.claimed.add(this.#listen.port);
    } catch (thrown) {
      throw cannotListen(formatAddress(this.#listen), thrown);
    }
    server.on('error', () => undefined);
    this.#server = server;
  }

  disable(): void {
    this.#server?.close();
    this.#server = undefined;
    for (const link of [...this.#links]) link.cut();
  }

  /** Cuts what is there when an address changes; enabled or not afterwards, as before. */
  async move(listen: Address, upstream: Address): Promise<void> {
    const wasEnabled = this.#server !== undefined;
    this.disable();
    this.#listen = listen;
    this.#upstream = upstream;
    if (wasEnabled) await this.enable();
  }

  /** Upstream ones first, each stream in the order they were added. */
  toxics(): readonly Toxic[] {
    const of = (stream: Stream): readonly Toxic[] => this.#toxics.filter((toxic) => toxic.stream === stream);
    return [...of('upstream'), ...of('downstream')];
  }

  /** Throws 404. */
  toxic(name: string): Toxic {
    const toxic = this.#toxics.find((candidate) => candidate.name === name);
    if (toxic === undefined) throw toxicNotFound();
    return toxic;
  }

  /** Throws 400 or 409. Takes effect on open links too. */
  addToxic(body: unknown): Toxic {
    const toxic = newToxic(body);
    if (this.#toxics.some(({ name }) => name === toxic.name)) throw toxicExists();
    this.#toxics = [...this.#toxics, toxic];
    for (const link of this.#links) link.apply(toxic);
    return toxic;
  }

  /** Throws 400 or 404. */
  changeToxic(name: string, body: unknown): Toxic {
    const toxic = changedToxic(this.toxic(name), body);
    this.#toxics = this.#toxics.map((other) => (other.name === name ? toxic : other));
    for (const link of [...this.#links]) link.apply(toxic);
    return toxic;
  }

  /** Throws 404. */
  removeToxic(name: string): void {
    const toxic = this.toxic(name);
    this.#toxics = this.#toxics.filter((other) => other.name !== name);
    for (const link of [...this.#links]) link.remove(toxic);
  }

  removeAllToxics(): void {
    for (const { name } of this.#toxics) this.removeToxic(name);
  }

  traffic(): ProxyTraffic {
    const links = [...this.#links];
    const total = (stream: Stream): Traffic =>
      links.reduce((total, link) => sum(total, link.traffic(stream)), this.#closedTraffic[stream]);
    return {
      open: links.length,
      accepted: this.#accepted,
      dialFailures: this.#dialFailures,
      upstream: total('upstream'),
      downstream: total('downstream'),
      links: links.map((link) => ({
        number: link.number,
        clientPort: link.clientPort,
        upstreamPort: link.upstreamPort,
        openedAtMs: link.openedAtMs,
        upstream: link.traffic('upstream'),
        downstream: link.traffic('downstream'),
      })),
    };
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    const link = new Link(client, {
      ...this.#context,
      number: this.#accepted,
      proxyName: this.name,
      upstream: this.#upstream,
      toxics: this.#toxics,
      onClosed: (closed) => this.#forget(closed),
      onDialFailed: () => {
        this.#dialFailures += 1;
      },
    });
    this.#links.add(link);
  }

  #forget(link: Link): void {
    this.#links.delete(link);
    this.#closedTraffic = {
      upstream: sum(this.#closedTraffic.upstream, link.traffic('upstream')),
      downstream: sum(this.#closedTraffic.downstream, link.traffic('downstream')),
    };
  }
}
