// Which real systems a test may use. A missing one fails with how to get it; naming it in ACKPROOF_SKIP skips its tests, and
// says so out loud.
import { execFileSync } from 'node:child_process';
import { describe } from 'vitest';

/** `describe` for tests that need `system`; skipped only when ACKPROOF_SKIP names it. */
export const describeSystem = (system: string, tests: () => void): void => {
  const skipped = (process.env['ACKPROOF_SKIP'] ?? '').split(',').map((name) => name.trim());
  if (skipped.includes(system)) {
    process.stderr.write(`SKIPPED: ${system}, because ACKPROOF_SKIP names it. Nothing about it was tested.\n`);
    describe.skipIf(true)(system, tests);
    return;
  }
  describe(system, tests);
};

/** Whether everything is run, `npm run test:systems -- --all`, and not only a usual round. */
export const IS_WHOLE_ROUND = process.env['ACKPROOF_ALL_DRILLS'] === '1';

/** `describeSystem` for what is left out of a usual round; says so, and why. */
export const describeRare = (system: string, name: string, why: string, tests: () => void): void => {
  if (IS_WHOLE_ROUND) {
    describeSystem(system, tests);
    return;
  }
  process.stderr.write(`LEFT OUT: ${name}, because ${why}. \`npm run test:systems -- --all\` has it.\n`);
  describe.skipIf(true)(system, tests);
};

/** @throws Error that says how to get it where kcat is not here. */
export const needKcat = (): void => {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
  } catch {
    throw new Error('kcat is needed for this test: apt-get install -y kcat');
  }
};
