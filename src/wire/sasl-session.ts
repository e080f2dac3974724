// How long the login of one connection holds. A broker may give it an end and closes connections that go on beyond it; it is
// renewed a while before, once, whoever asks first.
import { systemClock } from '../clock.ts';
import type { SaslSettings } from './connection-security.ts';
import { type LoginAsker, logIn } from './sasl-login.ts';

/** Renewed after this share of its life, so that a busy machine is not late. */
const RENEWED_AFTER = 0.85;

export class LoginSession {
  readonly #where: string;
  readonly #sasl: SaslSettings;
  #dueMs = Number.POSITIVE_INFINITY;
  #renewing: Promise<void> | undefined;
  #busy = false;

  constructor(where: string, sasl: SaslSettings) {
    this.#where = where;
    this.#sasl = sasl;
  }

  /** The tokens of a login are on their way: what passes now must not be recorded. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Whether nothing may be asked any more before the login is renewed. */
  get isDue(): boolean {
    return this.#renewing !== undefined || systemClock.now() >= this.#dueMs;
  }

  async logIn(ask: LoginAsker): Promise<void> {
    const startedMs = systemClock.now();
    this.#busy = true;
    try {
      const lifetimeMs = await logIn(this.#where, this.#sasl, ask);
      this.#dueMs = lifetimeMs > 0 ? startedMs + lifetimeMs * RENEWED_AFTER : Number.POSITIVE_INFINITY;
    } finally {
      this.#busy = false;
    }
  }

  /** Runs `work`, which logs in again, unless that is being done already. */
  renew(work: () => Promise<void>): Promise<void> {
    this.#renewing ??= work().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }
}
