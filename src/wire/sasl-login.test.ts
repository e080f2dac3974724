import { describe, expect, it } from 'vitest';
import { type LoginAsker, logIn } from './sasl-login.ts';
import { Secret } from './secret.ts';
import { WireError } from './wire-error.ts';

const sasl = (mechanism: 'PLAIN' | 'SCRAM-SHA-256') => ({
  mechanism,
  username: new Secret('drill-user'),
  password: new Secret('planted-secret'),
});

/** A broker in two answers; what it was sent is kept. */
const broker = (
  handshake: object,
  authenticate: object = {},
): { readonly ask: LoginAsker; readonly sent: Buffer[] } => {
  const sent: Buffer[] = [];
  const ask = (api: string, body: object): Promise<object> => {
    if (api === 'SaslHandshake') return Promise.resolve({ errorCode: 0, mechanisms: [], ...handshake });
    sent.push((body as { authBytes: Buffer }).authBytes);
    const blank = { errorCode: 0, errorMessage: null, authBytes: Buffer.alloc(0), sessionLifetimeMs: 0 };
    return Promise.resolve({ ...blank, ...authenticate });
  };
  return { ask: ask as unknown as LoginAsker, sent };
};

const failure = async (promise: Promise<unknown>): Promise<WireError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof WireError) return error;
  throw new Error('No WireError was thrown.');
};

describe('a login', () => {
  it('by PLAIN sends user and password once, and tells how long it holds', async () => {
    const { ask, sent } = broker({}, { sessionLifetimeMs: 5000 });
    expect(await logIn('b:1', sasl('PLAIN'), ask)).toBe(5000);
    expect(sent.map(String)).toEqual(['\0drill-user\0planted-secret']);
  });

  it('that names a mechanism which is not offered says what is, and which of it we know', async () => {
    const { ask } = broker({ errorCode: 33, mechanisms: ['GSSAPI', 'SCRAM-SHA-512'] });
    const error = await failure(logIn('b:1', sasl('PLAIN'), ask));
    expect(error.code).toBe('WIRE_SASL_MECHANISM');
    expect(error.message).toBe('b:1 does not take PLAIN; it offers GSSAPI, SCRAM-SHA-512.');
    expect(error.hint).toBe('Write SCRAM-SHA-512 as sasl.mechanism in the target file.');
    const none = await failure(logIn('b:1', sasl('PLAIN'), broker({ errorCode: 33, mechanisms: ['GSSAPI'] }).ask));
    expect(none.hint).toMatch(/add a listener that takes one of them/);
  });

  it('where none is taken says so', async () => {
    const error = await failure(logIn('b:1', sasl('PLAIN'), broker({ errorCode: 34 }).ask));
    expect(error.message).toBe('The listener at b:1 takes no login.');
  });

  it('that is refused tells the broker’s reason, without what is secret in it', async () => {
    const told = { errorCode: 58, errorMessage: 'no drill-user with planted-secret here.' };
    const error = await failure(logIn('b:1', sasl('PLAIN'), broker({}, told).ask));
    expect(error.code).toBe('WIRE_LOGIN_REFUSED');
    expect(error.describe()).toMatch(/refused the login by PLAIN: no \(secret\) with \(secret\) here\. See that/);
  });

  it('by SCRAM sends the password nowhere, and believes no broker that cannot continue its nonce', async () => {
    const { ask, sent } = broker({}, { authBytes: Buffer.from('r=another,s=AAAA,i=4096') });
    const error = await failure(logIn('b:1', sasl('SCRAM-SHA-256'), ask));
    expect(error.code).toBe('WIRE_SERVER_UNPROVEN');
    expect(sent).toHaveLength(1);
    expect(String(sent[0])).not.toContain('planted-secret');
  });
});
