// SCRAM as RFC 5802 and 7677 describe it, the client's side: it proves that it knows the password without sending it, and does
// not believe the broker until that has proved the same. What is sent and received is the caller's matter.
import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from './secret.ts';

export type ScramHash = 'sha256' | 'sha512';

export interface ScramOptions {
  readonly hash: ScramHash;
  readonly username: Secret;
  readonly password: Secret;
  /** Fresh for each login; printable, without commas. */
  readonly nonce: string;
}

const DIGEST_BYTES: Readonly<Record<ScramHash, number>> = { sha256: 32, sha512: 64 };
/** A broker that asks for more rounds than this wants us busy, not safe. */
const MOST_ITERATIONS = 1_000_000;
/** What RFC 7677 asks for at least. */
const LEAST_ITERATIONS = 4096;

const escaped = (name: string): string => name.replaceAll('=', '=3D').replaceAll(',', '=2C');

/** `r=…,s=…,i=…` as name → value; only the first `=` of each part divides. */
const attributesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));

const derive = promisify(pbkdf2);

/** A broker gives a user the same salt each time, so a load of many connections pays for the derivation once. */
const derived = new WeakMap<Secret, Map<string, Promise<Buffer>>>();

const saltedPassword = async (password: Secret, hash: ScramHash, salt: string, iterations: number): Promise<Buffer> => {
  const known = derived.get(password) ?? new Map<string, Promise<Buffer>>();
  derived.set(password, known);
  const key = `${hash} ${salt} ${iterations}`;
  const salted =
    known.get(key) ?? derive(password.reveal(), Buffer.from(salt, 'base64'), iterations, DIGEST_BYTES[hash], hash);
  known.set(key, salted);
  return await salted;
};

/** One login. Its steps throw a plain sentence where the broker's words cannot be trusted. */
export class ScramClient {
  readonly #options: ScramOptions;
  readonly #bare: string;
  #serverSignature: Buffer | undefined;

  constructor(options: ScramOptions) {
    this.#options = options;
    this.#bare = `n=${escaped(options.username.reveal())},r=${options.nonce}`;
  }

  first(): Buffer {
    return Buffer.from(`n,,${this.#bare}`);
  }

  /** The proof, for the challenge that came. */
  async final(challenge: Buffer): Promise<Buffer> {
    const { hash, password, nonce } = this.#options;
    const text = challenge.toString('utf8');
    const told = attributesOf(text);
    const joined = told.get('r') ?? '';
    const iterations = Number(told.get('i'));
    if (!joined.startsWith(nonce) || joined === nonce) throw new Error('its challenge does not continue our nonce');
    if (!Number.isInteger(iterations) || iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
      throw new Error(
        `it asks for ${String(told.get('i'))} iterations; ${LEAST_ITERATIONS} to ${MOST_ITERATIONS} are sensible`,
      );
    }
    const hmac = (key: Buffer, data: string): Buffer => createHmac(hash, key).update(data).digest();
    const salted = await saltedPassword(password, hash, told.get('s') ?? '', iterations);
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=biws,r=${joined}`;
    const signed = `${this.#bare},${text},${withoutProof}`;
    const signature = hmac(createHash(hash).update(clientKey).digest(), signed);
    this.#serverSignature = hmac(hmac(salted, 'Server Key'), signed);
    const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
    return Buffer.from(`${withoutProof},p=${proof.toString('base64')}`);
  }

  /** Throws unless the broker has shown that it knows the password too. */
  verify(final: Buffer): void {
    const told = attributesOf(final.toString('utf8'));
    const shown = Buffer.from(told.get('v') ?? '', 'base64');
    const expected = this.#serverSignature;
    if (expected?.length !== shown.length || !timingSafeEqual(expected, shown)) {
      throw new Error('its signature is not that of somebody who knows the password');
    }
  }
}
