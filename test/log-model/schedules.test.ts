// Explores random schedules of the partition log, and shows that the exploration would have noticed: with each defect switched
// on it fails soon. ACKPROOF_MODEL_SEEDS sets how many seeds are explored, ACKPROOF_MODEL_FIRST_SEED where they begin.
import { describe, expect, it } from 'vitest';
import { environmentVariable } from '../../src/environment.ts';
import { DEFECT_WALS, DEFECTS, WAL_KINDS } from '../../src/vocabulary.ts';
import { runSchedule } from './schedule.ts';

const SEEDS = Number(environmentVariable('ACKPROOF_MODEL_SEEDS') ?? 3000);
const FIRST_SEED = Number(environmentVariable('ACKPROOF_MODEL_FIRST_SEED') ?? 1);
const SEEDS_UNTIL_A_DEFECT_SHOWS = 10_000;
const PROGRESS_EVERY = 10_000;
const MINUTE_MS = 60_000;

/** No schedule loses objects from outside, so nothing is ever missing that could be skipped; reader.test.ts has that one. */
const NOT_IN_THE_MODEL = 'skip-missing-object';

describe.each(WAL_KINDS)('the partition log under random schedules, its write-ahead log of kind %s', (wal) => {
  it(
    `keeps every promise in ${SEEDS} schedules from seed ${FIRST_SEED}`,
    async () => {
      let acknowledged = 0;
      let takeovers = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const result = await runSchedule({ seed, wal });
        expect(result.violations, `seed ${seed}`).toEqual([]);
        acknowledged += result.acknowledged;
        takeovers += result.takeovers;
        if ((seed + 1 - FIRST_SEED) % PROGRESS_EVERY === 0) console.log(`${seed + 1 - FIRST_SEED} schedules explored`);
      }
      expect(acknowledged / SEEDS).toBeGreaterThan(4);
      expect(takeovers / SEEDS).toBeGreaterThan(4);
    },
    30 * MINUTE_MS,
  );

  it('is decided by the seed alone', async () => {
    for (const seed of [3, 4, 5]) {
      const [one, other]: [string[], string[]] = [[], []];
      await runSchedule({ seed, wal, trace: one });
      await runSchedule({ seed, wal, trace: other });
      expect(one.length).toBeGreaterThan(50);
      expect(other).toEqual(one);
    }
  });

  it.each(DEFECTS.filter((name) => name !== NOT_IN_THE_MODEL && (DEFECT_WALS[name] ?? WAL_KINDS).includes(wal)))(
    'fails soon with the defect %s',
    async (defect) => {
      let violations: readonly string[] = [];
      for (let seed = 1; violations.length === 0 && seed <= SEEDS_UNTIL_A_DEFECT_SHOWS; seed++) {
        violations = (await runSchedule({ seed, wal, defects: [defect] })).violations;
      }
      expect(violations).not.toEqual([]);
    },
    2 * MINUTE_MS,
  );
});
