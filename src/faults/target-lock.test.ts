import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Address, BrokerId } from '../vocabulary.ts';
import { lockNames, lockTarget, releaseLocksOf } from './target-lock.ts';

const IMAGE_ID = '5L6g3nShT-eMCtK--X86sw';

const at = (host: string, port: number): Address => ({ host, port });
const brokers = (...addresses: readonly (readonly [Address, Address])[]) =>
  addresses.map(([advertised, direct], index) => {
    const id = (index + 1) as BrokerId;
    return { id, node: `broker/${id}`, advertised, direct };
  });

/** A project as Docker publishes it, and the same cluster as somebody dials it by another name. */
const project = (name: string, port: number) => ({
  lockedAs: `compose-${name}`,
  brokers: brokers([at('127.0.0.1', port), at('127.0.0.1', port + 100)]),
});
const byClients = { brokers: brokers([at('localhost', 11_092), at('localhost', 11_092)]) };
const byEvidence = { brokers: brokers([at('127.0.0.1', 11_192), at('127.0.0.1', 11_192)]) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-locks-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const use = async (target: Parameters<typeof lockNames>[0], runId: string, clusterId?: string): Promise<void> => {
  for (const name of await lockNames(target, clusterId, 'a name')) await lockTarget(name, runId);
};

// Red before: a project was locked by its name, a cluster that is only dialled by its id, and neither saw the other.
describe('one run per cluster', () => {
  it.each([
    ['its clients’ addresses', byClients],
    ['a listener of its own', byEvidence],
  ])('refuses a project that another run dials by %s, and the other way round', async (_, dialled) => {
    await use(dialled, 'r-1', IMAGE_ID);
    await expect(use(project('shop', 11_092), 'r-2', IMAGE_ID)).rejects.toThrow(/in use by run r-1 \(process \d+\)/u);
    await releaseLocksOf('r-1');
    await releaseLocksOf('r-2');
    await use(project('shop', 11_092), 'r-2', IMAGE_ID);
    await expect(use(dialled, 'r-1', IMAGE_ID)).rejects.toThrow(/in use by run r-2/u);
  });

  it('lets two projects that have the id of their image be used side by side', async () => {
    await use(project('shop', 11_092), 'r-1', IMAGE_ID);
    await use(project('bank', 12_092), 'r-2', IMAGE_ID);
    await expect(use(project('shop', 13_092), 'r-3', IMAGE_ID)).rejects.toThrow(/compose-shop is in use by run r-1/u);
  });

  it('is over with the run, and after a dead one with its heal', async () => {
    await use(byClients, 'r-1', IMAGE_ID);
    const locks = join(folder, 'ackproof', 'locks');
    expect(readdirSync(locks).sort()).toEqual(['127.0.0.1_11092.json', `${IMAGE_ID}.json`]);
    const dead = { runId: 'r-1', owner: { pid: 2 ** 22 - 1, startedAt: 1 } };
    for (const name of readdirSync(locks)) writeFileSync(join(locks, name), JSON.stringify(dead));
    await expect(use(project('shop', 11_092), 'r-2')).rejects.toMatchObject({
      message: expect.stringContaining('whose process is gone') as string,
      hint: 'Put back what it left: ackproof heal --run r-1',
    });
    await releaseLocksOf('r-1');
    await releaseLocksOf('r-2');
    expect(readdirSync(locks)).toEqual([]);
  });
});
