// One caller's connection: request after request, each passed on by one connection to the store that is this caller's alone, so that
// an end on one side is an end on the other, as it would be without the proxy.
import type { Socket } from 'node:net';
import { describeError } from '../errors.ts';
import { perform } from './actions/registry.ts';
import type { ListenerTally } from './counters.ts';
import { Exchange, type ProxyParts, type WayUp } from './exchange.ts';
import { HttpRefusal } from './http/http-refusal.ts';
import { parseRequestHead } from './http/message-head.ts';
import { type Leaving, Peer } from './http/peer.ts';
import { readHead } from './http/read-head.ts';
import { ownAnswerBytes } from './own-answer.ts';
import { passOn } from './pass-on.ts';
import type { RuleBook } from './rule-book.ts';
import { connectTo, type Upstream } from './upstream.ts';

export interface ListenerParts extends ProxyParts {
  readonly name: string;
  readonly upstream: Upstream;
  readonly rules: RuleBook;
  readonly tally: ListenerTally;
}

export class CallerConnection implements WayUp {
  readonly #parts: ListenerParts;
  readonly #caller: Peer;
  #upstream: Peer | undefined;
  #exchange: Exchange | undefined;

  constructor(socket: Socket, parts: ListenerParts) {
    this.#parts = parts;
    this.#caller = new Peer(socket);
    const { idleMs } = parts.limits;
    let isEnding = false;
    socket.setTimeout(idleMs, () => {
      if (isEnding) socket.destroy();
      if (this.#exchange?.isHeld !== true) {
        isEnding = true;
        this.end('close');
      }
      socket.setTimeout(idleMs); // it does not start again by itself
    });
  }

  async upstream(): Promise<Peer> {
    const kept = this.#upstream;
    if (kept !== undefined && !kept.gone.aborted && kept.isQuiet) return kept;
    this.dropUpstream('close');
    const peer = await this.ownUpstream();
    this.#upstream = peer;
    peer.gone.addEventListener('abort', () => {
      if (this.#upstream === peer && this.#exchange === undefined) this.end('close');
    });
    return peer;
  }

  async ownUpstream(): Promise<Peer> {
    return await connectTo(this.#parts.upstream, this.#parts.limits.connectMs);
  }

  dropUpstream(how: Leaving): void {
    const peer = this.#upstream;
    this.#upstream = undefined;
    peer?.leave(how);
  }

  /** Ends both sides. */
  end(how: Leaving): void {
    if (this.#exchange === undefined) this.#caller.leave(how);
    else this.#exchange.endCaller(how);
    this.dropUpstream(how);
  }

  /** Serves requests until the connection ends. Never throws. */
  async serve(): Promise<void> {
    try {
      while (await this.#serveNext());
    } catch (thrown) {
      this.#parts.note(`A request was broken off: ${describeError(thrown)}`);
      this.#caller.leave('reset');
    } finally {
      this.end('close');
    }
  }

  /** Whether another request may follow. */
  async #serveNext(): Promise<boolean> {
    const { limits, tally } = this.#parts;
    try {
      const bytes = await readHead(this.#caller, limits.headBytes);
      if (bytes === undefined) return false;
      return await this.#serveOne(bytes);
    } catch (thrown) {
      if (!(thrown instanceof HttpRefusal)) throw thrown;
      tally.malformed++;
      await this.#refuse(thrown);
      return false;
    }
  }

  async #serveOne(bytes: Buffer): Promise<boolean> {
    const { name, rules, tally, clock, limits, kept, note, later } = this.#parts;
    const head = parseRequestHead(bytes);
    const parts = { clock, limits, kept, note, later };
    const exchange = new Exchange({ ...parts, tally, caller: this.#caller, head, way: this });
    this.#exchange = exchange;
    try {
      const decided = rules.decide(exchange.request, name);
      if (decided === undefined) await passOn(exchange);
      else {
        exchange.ruledBy(decided.grant);
        await perform(exchange, decided.grant, decided.action);
      }
      return !exchange.isLast && exchange.body.isComplete && this.#upstream?.gone.aborted !== true;
    } catch (thrown) {
      if (!(thrown instanceof HttpRefusal)) throw thrown;
      await exchange.refuse(thrown);
      return false;
    } finally {
      exchange.close();
      this.#exchange = undefined;
    }
  }

  async #refuse({ status, message }: HttpRefusal): Promise<void> {
    const answer = { status, code: 'InvalidRequest', message, resource: '', requestId: 'refused' };
    const bytes = ownAnswerBytes({ ...answer, isHead: false, closes: true }, this.#parts.clock.wall());
    await this.#caller.write(bytes);
  }
}
