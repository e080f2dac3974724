// All proxies of the program, and what the API does to them as a whole. Changes are made one after the other; none of them
// waits for traffic.
import { releasePorts } from '../../ports.ts';
import { type Address, parseAddress } from './address.ts';
import { badRequestBody, missingField, proxyExists, proxyNotFound } from './api-error.ts';
import { LinkProxy, type ProxyContext } from './proxy.ts';
import { asFields } from './toxic-spec.ts';

interface ProxySpec {
  readonly name: string;
  readonly listen: Address;
  readonly upstream: Address;
  readonly enabled: boolean;
}

const DEFAULT_LISTEN = '127.0.0.1:0';

const addressField = (value: unknown, name: string): Address => {
  const address = typeof value === 'string' ? parseAddress(value) : undefined;
  if (address === undefined) throw badRequestBody(`${name} is not host:port`);
  return address;
};

const enabledField = (value: unknown): boolean => {
  if (typeof value !== 'boolean') throw badRequestBody('enabled is not true or false');
  return value;
};

const specOf = (body: unknown): ProxySpec => {
  const fields = asFields(body);
  const { name, listen, upstream, enabled } = fields;
  if (typeof name !== 'string' || name === '') throw missingField('name');
  if (upstream === undefined || upstream === '') throw missingField('upstream');
  return {
    name,
    listen: addressField(listen === undefined || listen === '' ? DEFAULT_LISTEN : listen, 'listen'),
    upstream: addressField(upstream, 'upstream'),
    enabled: enabledField(enabled ?? true),
  };
};

const same = (one: Address, other: Address): boolean => one.host === other.host && one.port === other.port;

export class ProxySet {
  readonly #context: ProxyContext;
  readonly #proxies = new Map<string, LinkProxy>();
  /** Until the end: a proxy that is deleted may be declared again on its port. */
  readonly #claimed = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Omit<ProxyContext, 'claimed'>) {
    this.#context = { ...context, claimed: this.#claimed };
  }

  all(): readonly LinkProxy[] {
    return [...this.#proxies.values()];
  }

  /** Throws 404. */
  get(name: string): LinkProxy {
    const proxy = this.#proxies.get(name);
    if (proxy === undefined) throw proxyNotFound();
    return proxy;
  }

  /** Throws 400, 409, or 500 when the address cannot be listened on; then there is no such proxy. */
  async create(body: unknown): Promise<LinkProxy> {
    return await this.#alone(async () => {
      const spec = specOf(body);
      if (this.#proxies.has(spec.name)) throw proxyExists();
      return await this.#create(spec);
    });
  }

  /** Creates or replaces each proxy of the list; one that is there with the same addresses is left as it is. */
  async populate(body: unknown): Promise<readonly LinkProxy[]> {
    if (!Array.isArray(body)) throw badRequestBody('not a JSON list');
    const specs = body.map(specOf);
    return await this.#alone(async () => {
      const proxies: LinkProxy[] = [];
      for (const spec of specs) {
        const present = this.#proxies.get(spec.name);
        const kept =
          present !== undefined && same(present.listen, spec.listen) && same(present.upstream, spec.upstream);
        if (!kept) present?.disable();
        proxies.push(kept ? present : await this.#create(spec));
      }
      return proxies;
    });
  }

  /** `enabled`, `listen` and `upstream`, each as far as given. A changed address cuts the links. */
  async change(name: string, body: unknown): Promise<LinkProxy> {
    return await this.#alone(async () => {
      const proxy = this.get(name);
      const { enabled, listen, upstream } = asFields(body);
      const to = listen === undefined || listen === '' ? proxy.listen : addressField(listen, 'listen');
      const onward = upstream === undefined || upstream === '' ? proxy.upstream : addressField(upstream, 'upstream');
      const wanted = enabled === undefined ? undefined : enabledField(enabled);
      if (!same(to, proxy.listen) || !same(onward, proxy.upstream)) await proxy.move(to, onward);
      if (wanted === true) await proxy.enable();
      if (wanted === false) proxy.disable();
      return proxy;
    });
  }

  async remove(name: string): Promise<void> {
    await this.#alone(async () => {
      this.get(name).disable();
      this.#proxies.delete(name);
      await Promise.resolve();
    });
  }

  /** Enables every proxy and removes every toxic; all are tried before the first error is thrown. */
  async reset(): Promise<void> {
    await this.#alone(async () => {
      const outcomes = await Promise.allSettled(
        this.all().map(async (proxy) => {
          proxy.removeAllToxics();
          await proxy.enable();
        }),
      );
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    });
  }

  /** Closes all proxies for good. */
  async close(): Promise<void> {
    await this.#alone(async () => {
      for (const proxy of this.all()) proxy.disable();
      releasePorts([...this.#claimed]);
      this.#claimed.clear();
      await Promise.resolve();
    });
  }

  async #create(spec: ProxySpec): Promise<LinkProxy> {
    const proxy = new LinkProxy(spec.name, spec.listen, spec.upstream, this.#context);
    if (spec.enabled) await proxy.enable();
    this.#proxies.set(spec.name, proxy);
    return proxy;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return await result;
  }
}
