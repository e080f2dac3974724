// Logs in on a connection that is open: names the mechanism, exchanges its tokens, and says for how long the login holds.
// Whoever has the connection asks the questions, so that a client and a canary log in alike.
import { randomBytes } from 'node:crypto';
import { describeError } from '../errors.ts';
import { SASL_MECHANISMS, type SaslMechanism, type SaslSettings } from './connection-security.ts';
import {
  errorCodeName,
  ILLEGAL_SASL_STATE,
  NONE,
  SASL_AUTHENTICATION_FAILED,
  UNSUPPORTED_SASL_MECHANISM,
} from './error-codes.ts';
import type { RequestInput, ResponseBody } from './protocol.ts';
import { ScramClient, type ScramHash } from './scram.ts';
import { WireError, type WireErrorCode } from './wire-error.ts';

/** Puts one question of a login and waits for its answer. */
export type LoginAsker = <N extends 'SaslHandshake' | 'SaslAuthenticate'>(
  api: N,
  body: RequestInput<N>,
) => Promise<ResponseBody<N>>;

const HASHES: Readonly<Record<Exclude<SaslMechanism, 'PLAIN'>, ScramHash>> = {
  'SCRAM-SHA-256': 'sha256',
  'SCRAM-SHA-512': 'sha512',
};
const NONCE_BYTES = 18;

const refusal = (code: WireErrorCode, message: string, kafkaCode: number, hint: string): WireError =>
  new WireError(code, message, { kafkaCode, hint, sent: false });

const nameMechanism = async (where: string, mechanism: SaslMechanism, ask: LoginAsker): Promise<void> => {
  const { errorCode, mechanisms } = await ask('SaslHandshake', { mechanism });
  if (errorCode === NONE) return;
  if (errorCode === ILLEGAL_SASL_STATE) {
    const hint = 'Leave sasl out of the target file, or name the port of the listener that takes logins.';
    throw refusal('WIRE_SASL_MECHANISM', `The listener at ${where} takes no login.`, errorCode, hint);
  }
  if (errorCode !== UNSUPPORTED_SASL_MECHANISM) {
    const hint = 'See the broker’s log.';
    const message = `${where} answered ${errorCodeName(errorCode)} to the mechanism ${mechanism}.`;
    throw refusal('WIRE_SASL_MECHANISM', message, errorCode, hint);
  }
  const usable = mechanisms.filter((offered) => SASL_MECHANISMS.some((known) => known === offered));
  const offer = mechanisms.length === 0 ? 'none' : mechanisms.join(', ');
  const hint =
    usable.length === 0
      ? `ackproof logs in by ${SASL_MECHANISMS.join(', ')}; add a listener that takes one of them.`
      : `Write ${usable.join(' or ')} as sasl.mechanism in the target file.`;
  throw refusal('WIRE_SASL_MECHANISM', `${where} does not take ${mechanism}; it offers ${offer}.`, errorCode, hint);
};

class Login {
  readonly #where: string;
  readonly #sasl: SaslSettings;
  readonly #ask: LoginAsker;
  sessionLifetimeMs = 0;

  constructor(where: string, sasl: SaslSettings, ask: LoginAsker) {
    this.#where = where;
    this.#sasl = sasl;
    this.#ask = ask;
  }

  async exchange(token: Buffer): Promise<Buffer> {
    const { mechanism, username, password } = this.#sasl;
    const answer = await this.#ask('SaslAuthenticate', { authBytes: token });
    this.sessionLifetimeMs = answer.sessionLifetimeMs;
    if (answer.errorCode === NONE) return answer.authBytes;
    const told = answer.errorMessage ?? errorCodeName(answer.errorCode);
    const words = username.removedFrom(password.removedFrom(told)).replace(/\.$/, '');
    const hint =
      answer.errorCode === SASL_AUTHENTICATION_FAILED
        ? 'See that sasl.username and sasl.password in the target file name a user that the cluster knows by this mechanism.'
        : 'See the broker’s log.';
    const message = `${this.#where} refused the login by ${mechanism}: ${words}.`;
    throw refusal('WIRE_LOGIN_REFUSED', message, answer.errorCode, hint);
  }

  async plain(): Promise<void> {
    const { username, password } = this.#sasl;
    await this.exchange(Buffer.from(`\0${username.reveal()}\0${password.reveal()}`));
  }

  async scram(hash: ScramHash): Promise<void> {
    const { username, password } = this.#sasl;
    const client = new ScramClient({ hash, username, password, nonce: randomBytes(NONCE_BYTES).toString('base64url') });
    const challenge = await this.exchange(client.first());
    const proof = await this.#trusting(async () => await client.final(challenge));
    const final = await this.exchange(proof);
    await this.#trusting(() => client.verify(final));
  }

  /** What the broker says must show that it knows the password: otherwise it may be anybody. */
  async #trusting<T>(step: () => T | Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (thrown) {
      throw new WireError(
        'WIRE_SERVER_UNPROVEN',
        `${this.#where} did not prove that it knows the user: ${describeError(thrown)}.`,
        { hint: 'See that the address is that of a broker of this cluster, and nobody stands between.', sent: false },
      );
    }
  }
}

/** Logs in; returns for how many milliseconds the broker holds it, 0 for as long as the connection lives. */
export const logIn = async (where: string, sasl: SaslSettings, ask: LoginAsker): Promise<number> => {
  await nameMechanism(where, sasl.mechanism, ask);
  const login = new Login(where, sasl, ask);
  await (sasl.mechanism === 'PLAIN' ? login.plain() : login.scram(HASHES[sasl.mechanism]));
  return login.sessionLifetimeMs;
};
