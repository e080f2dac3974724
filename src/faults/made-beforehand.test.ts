import { describe, expect } from 'vitest';
import { type ModelTarget, TOPIC } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { memoryJournal, runOn, runUntil } from '../../test/faults/run-on.ts';
import type { JournalLine } from './fault.ts';
import { openFaults } from './journal.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

/** Every fault that makes a canary topic. */
const FAULTS = [
  { fault: 'broker-degrade', victim: { broker: 2 }, params: { settings: { 'message.max.bytes': '2000' } } },
  { fault: 'disk-full', victim: { broker: 2 } },
  { fault: 'leader-election', victim: { leaderOf: 'orders/1' }, params: { stableFor: '100ms' } },
  { fault: 'request-loss', victim: { broker: 2 } },
  { fault: 'response-loss', victim: { broker: 2 } },
].map((written) => ({ ...written, duration: '1m' }));
type Written = Readonly<Record<string, unknown>>;
const [degrade, , , requestLoss] = FAULTS as unknown as [Written, Written, Written, Written];
/** The code of a refusal that no client asks again after. */
const INVALID_REQUEST = 42;
const never = new AbortController().signal;

const topicsOf = ({ cluster }: ModelTarget): readonly string[] => [...cluster.topics.keys()];

/** What a process that never saw the run takes back, from the journal alone. */
const undoAfresh = async (lines: readonly JournalLine[], only?: 'delete-topic'): Promise<readonly unknown[]> => {
  const written = JSON.parse(JSON.stringify(lines)) as readonly JournalLine[];
  const records = openFaults(written).map(({ undo }) => ({
    ...undo,
    steps: undo.steps.filter((step) => only === undefined || step.do === only),
  }));
  const problems = await performUndo(records, freshReach(), never);
  return [
    ...problems,
    ...(await Promise.all(records.map(async (record) => await leftOf(record, freshReach())))).flat(),
  ];
};

describe.concurrent.each(FAULTS)('what is made for $fault before its intent', (written) => {
  // Red before: an interruption in the seconds between left the topic on the cluster.
  modelTest('goes again when the fault is aborted before its moment', async ({ target }) => {
    const journal = memoryJournal();
    let meanwhile: readonly string[] = [];
    const nearly = async (): Promise<boolean> => {
      meanwhile = topicsOf(target);
      return await Promise.resolve(false);
    };
    const { outcome } = await runOn(target, written, { journal, nearly });
    expect(meanwhile).toEqual([TOPIC, expect.stringMatching(/^__ackproof-canary-/)]);
    expect(outcome).toMatchObject({ confirmed: false, healed: 'nothing-to-heal' });
    expect(topicsOf(target)).toEqual([TOPIC]);
    expect(openFaults(journal.lines)).toEqual([]);
  });

  // Red before: without an intent neither the watchdog nor `ackproof heal` knew of the topic.
  modelTest('is taken away from the journal alone where the run dies before it', async ({ target }) => {
    const journal = memoryJournal();
    const nearly = async (): Promise<boolean> => {
      expect(topicsOf(target)).toHaveLength(2);
      expect(await undoAfresh(journal.lines)).toEqual([]);
      expect(topicsOf(target)).toEqual([TOPIC]);
      return false;
    };
    await runOn(target, written, { journal, nearly });
    expect(journal.lines[0]).toMatchObject({
      edge: 'preparing',
      undo: { steps: [{ do: 'delete-topic', cluster: { clusterId: 'model' } }] },
    });
    expect(journal.lines[0]?.expires).toBeGreaterThan(0);
  });

  // Red before for disk-full, request-loss and response-loss, whose undo did not know of it.
  modelTest('is taken away from the journal alone where the run dies after its intent', async ({ target }) => {
    const journal = memoryJournal();
    const ready = async (): Promise<string> => {
      expect(journal.lines.at(-1)).toMatchObject({ edge: 'intent', undo: { steps: { 0: { do: 'delete-topic' } } } });
      expect(await undoAfresh(journal.lines, 'delete-topic')).toEqual([]);
      expect(topicsOf(target)).toEqual([TOPIC]);
      return 'seen enough';
    };
    const { outcome } = await runOn(target, written, { journal, ready });
    expect(outcome.reason).toContain('seen enough');
  });

  modelTest('is written down before it is made, and not made where it cannot be', async ({ target }) => {
    const append = async ({ edge }: JournalLine): Promise<void> => {
      expect(topicsOf(target)).toEqual([TOPIC]);
      if (edge === 'preparing') throw new Error('the disk is full');
      await Promise.resolve();
    };
    const { outcome } = await runOn(target, written, { journal: { ...memoryJournal(), append } });
    expect(outcome.reason).toContain('the disk is full');
    expect(topicsOf(target)).toEqual([TOPIC]);
  });

  modelTest('goes again when the preparation is given up while it is being made', async ({ target }) => {
    const journal = memoryJournal();
    const aborting = new AbortController();
    const append = async (line: JournalLine): Promise<void> => {
      await journal.append(line);
      if (line.edge === 'preparing') aborting.abort(new Error('Ctrl-C'));
    };
    await runOn(target, written, { journal: { ...journal, append }, signal: aborting.signal });
    expect(topicsOf(target)).toEqual([TOPIC]);
    expect(openFaults(journal.lines)).toEqual([]);
  });
});

describe.concurrent('a fault that is refused once its canary topic is there', () => {
  // Red before: the topic stayed, each time.
  modelTest('takes it away again', async ({ target }) => {
    const [link] = target.can.links.all.filter(({ path, node }) => path === 'client' && node === 'broker/2');
    const { host, port } = link!.admin;
    const url = `http://${host}:${port}/proxies/${link!.proxy}`;
    await fetch(url, { method: 'POST', body: JSON.stringify({ enabled: false }) });
    const { outcome } = await runOn(target, requestLoss);
    expect(outcome.reason).toContain('was not well before the fault');
    expect(topicsOf(target)).toEqual([TOPIC]);
  });

  // Red before: one attempt was all, also amid the heal of another fault that had the cluster down: a failed heal each time.
  modelTest('takes it away as soon as the cluster lets it', async ({ target }) => {
    const { deletionCodes } = target.cluster.administration;
    const refuseTwice = (): number => deletionCodes.push(INVALID_REQUEST, INVALID_REQUEST);
    const nearly = async (): Promise<boolean> => {
      refuseTwice();
      return await Promise.resolve(false);
    };
    const { outcome } = await runOn(target, degrade, { nearly });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'nothing-to-heal' });
    expect([topicsOf(target), deletionCodes]).toEqual([[TOPIC], []]);
    const later = await runUntil(target, degrade, {
      first: async () => {
        refuseTwice();
        await Promise.resolve();
      },
    });
    expect(later.outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect([topicsOf(target), deletionCodes]).toEqual([[TOPIC], []]);
  });

  modelTest('is a failed heal where the cluster does not take it away, and stays known', async ({ target }) => {
    const journal = memoryJournal();
    const nearly = async (): Promise<boolean> => {
      await Promise.all(target.cluster.brokers.map(async (broker) => await broker.die()));
      return false;
    };
    const heal = { timeout: '1s' };
    const { outcome, edges } = await runOn(target, { ...degrade, heal }, { journal, nearly });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'heal-failed' });
    expect(outcome.reason).toMatch(
      /Waited \d+ ms for what was made for broker-degrade to be gone; last seen: .*No broker could be reached/,
    );
    expect(edges).toEqual([]);
    expect(openFaults(journal.lines)).toMatchObject([{ last: 'heal-failed', mayBeInFlight: true }]);
  });
});
