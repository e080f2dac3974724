import { expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import type { LoginAsker } from './sasl-login.ts';
import { LoginSession } from './sasl-session.ts';
import { Secret } from './secret.ts';

const session = (): LoginSession =>
  new LoginSession('b:1', { mechanism: 'PLAIN', username: new Secret('a'), password: new Secret('b') });

/** Holds each login for so long, ms. */
const broker = (sessionLifetimeMs: number, onAsk: () => void = () => undefined): LoginAsker =>
  ((api: string) => {
    onAsk();
    const handshake = { errorCode: 0, mechanisms: ['PLAIN'] };
    const token = { errorCode: 0, errorMessage: null, authBytes: Buffer.alloc(0), sessionLifetimeMs };
    return Promise.resolve(api === 'SaslHandshake' ? handshake : token);
  }) as unknown as LoginAsker;

it('a login without an end is never due, one with an end before it has come', async () => {
  const endless = session();
  await endless.logIn(broker(0));
  const brief = session();
  await brief.logIn(broker(200));
  expect(brief.isDue).toBe(false);
  await systemClock.sleep(190);
  expect(brief.isDue).toBe(true);
  expect(endless.isDue).toBe(false);
});

it('its tokens are told to nobody who listens', async () => {
  const own = session();
  const seen: boolean[] = [];
  await own.logIn(broker(0, () => seen.push(own.isBusy)));
  expect(seen).toEqual([true, true]);
  expect(own.isBusy).toBe(false);
});

it('is renewed once, whoever asks meanwhile, and due until that is done', async () => {
  const own = session();
  let renewals = 0;
  const renew = async (): Promise<void> => {
    renewals += 1;
    await systemClock.sleep(5);
  };
  const all = Promise.all([own.renew(renew), own.renew(renew), own.renew(renew)]);
  expect(own.isDue).toBe(true);
  await all;
  expect(renewals).toBe(1);
  expect(own.isDue).toBe(false);
});
