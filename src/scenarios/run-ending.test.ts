import { describe, expect, it } from 'vitest';
import { AckproofError, EnvironmentError, InternalError } from '../errors.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { assertEndedWell, endAll, withCleanUp, withSecondLook, withUnhealedTold } from './run-ending.ts';

const broken = new EnvironmentError('NOT_ENDED', 'A broker did not end.');

const failing = async (thrown: Error): Promise<never> => await Promise.reject(thrown);
const well = async (): Promise<void> => await Promise.resolve();

const result = (verdict: RunResult['judgement']['verdict'], heal: RunResult['heal'] = 'clean'): RunResult => ({
  formatVersion: 1,
  judgement: {
    verdict,
    because: 'a reason',
    findings: [],
    examined: { sent: 1, ok: 1, fail: 0, unknown: 0, read: 1, passes: 1, partitions: 1 },
    inconclusiveBecause: [],
    judgeVersion: '1',
  },
  bounds: 'met',
  boundResults: [],
  availability: [],
  heal,
  ended: 'complete',
});

describe('withCleanUp', () => {
  it('returns the result of work whose clean-up failed, and keeps the failure', async () => {
    const troubles: AckproofError[] = [];
    expect(
      await withCleanUp(
        troubles,
        async () => await failing(broken),
        async () => await Promise.resolve(7),
      ),
    ).toBe(7);
    expect(troubles).toEqual([broken]);
  });

  it('throws what the work threw, with the failure of the clean-up attached', async () => {
    const first = new InternalError('BROKE', 'It broke.');
    const troubles: AckproofError[] = [];
    const ended = withCleanUp(
      troubles,
      async () => await failing(broken),
      async () => await failing(first),
    );
    await expect(ended).rejects.toBe(first);
    expect(first.attached).toEqual([broken]);
    expect(troubles).toEqual([]);
  });

  it('cleans up after work that failed', async () => {
    let cleaned = 0;
    const cleanUp = async (): Promise<void> => {
      cleaned += 1;
      await well();
    };
    await expect(withCleanUp([], cleanUp, async () => await failing(new Error('x')))).rejects.toThrow('x');
    expect(cleaned).toBe(1);
  });
});

describe('endAll', () => {
  it('takes the steps after one that failed, and throws the first failure with the others attached', async () => {
    const first = new InternalError('BROKE', 'It broke.');
    let taken = 0;
    const ended = endAll(
      async () => await failing(first),
      async () => await failing(broken),
      async () => {
        taken += 1;
        await well();
      },
    );
    await expect(ended).rejects.toBe(first);
    expect(first.attached).toEqual([broken]);
    expect(taken).toBe(1);
  });

  it('throws nothing where every step went well or had nothing to do', async () => {
    await expect(endAll(well, () => undefined)).resolves.toBeUndefined();
  });
});

describe('a second look', () => {
  it('decides, where it comes to a result', async () => {
    const second = result('inconclusive');
    expect(await withSecondLook([], result('fail'), async () => await Promise.resolve(second))).toBe(second);
  });

  it.each([result('fail'), result('inconclusive', 'failed')])(
    'that broke takes back no loss and no failed heal',
    async (first) => {
      const troubles: AckproofError[] = [];
      expect(await withSecondLook(troubles, first, async () => await failing(broken))).toBe(first);
      expect(troubles).toEqual([broken]);
    },
  );

  it('that broke leaves nothing proved where nothing was', async () => {
    const troubles: AckproofError[] = [];
    const looked = withSecondLook(troubles, result('inconclusive'), async () => await failing(broken));
    await expect(looked).rejects.toBe(broken);
    expect(troubles).toEqual([]);
  });
});

describe('a run that broke', () => {
  it('ends with the fault that was not healed, how to heal it, and what broke the run', async () => {
    const ended = withUnhealedTold(
      'r-1',
      () => ['wal-outage-1'],
      async () => await failing(broken),
    );
    await expect(ended).rejects.toMatchObject({
      kind: 'unhealed',
      message: 'A fault may still be active (wal-outage-1 could not be healed), and the run broke.',
      hint: 'Run: ackproof heal --run r-1',
      attached: [broken],
    });
  });

  it('ends with what broke it where every fault was healed', async () => {
    const ended = withUnhealedTold(
      'r-1',
      () => [],
      async () => await failing(broken),
    );
    await expect(ended).rejects.toBe(broken);
  });
});

describe('a clean-up that failed', () => {
  it('does not take back a loss that was proved', () => {
    expect(() => assertEndedWell(result('fail'), [broken])).not.toThrow();
  });

  it('does not hide that a fault may still act', () => {
    expect(() => assertEndedWell(result('pass', 'failed'), [broken])).not.toThrow();
  });

  it.each(['pass', 'inconclusive'] as const)('is what a run ends with that would have been %s', (verdict) => {
    const first = new EnvironmentError('NOT_ENDED', 'A broker did not end.');
    const second = new EnvironmentError('ALSO', 'And more.');
    expect(() => assertEndedWell(result(verdict), [first, second])).toThrow(first);
    expect(first.attached).toEqual([second]);
  });

  it('that was none changes nothing', () => {
    expect(() => assertEndedWell(result('pass'), [])).not.toThrow();
  });
});
