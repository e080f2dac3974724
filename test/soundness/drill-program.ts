// One drill in a process of its own, run by the library as it was built in a checkout. Words: checkout, scenario file, folder for
// run directories, defect or `none`. Prints one line of JSON; a drill that came to no verdict says why on stderr and exits with 70.
import { pathToFileURL } from 'node:url';
import type * as ackproof from '../../src/index.ts';
import type { Finding, RunResult } from '../../src/index.ts';

const PASS_DEADLINE_MS = 15_000;
const HEAL_FAILED = 4;
const BOUNDS_MISSED = 3;
const INTERNAL_ERROR = 70;

const exitCodeOf = ({ judgement, heal, bounds, ended }: RunResult): number => {
  if (judgement.verdict === 'fail') return 1;
  if (heal === 'failed') return HEAL_FAILED;
  if (ended !== 'complete' || judgement.verdict === 'inconclusive' || bounds === 'no-samples') return 2;
  return bounds === 'missed' ? BOUNDS_MISSED : 0;
};

const illegal = (findings: readonly Finding[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { anomaly, legal, count } of findings) if (!legal) found[anomaly] = (found[anomaly] ?? 0) + count;
  return found;
};

const [checkout = '', scenario = '', out = '', defect = 'none'] = process.argv.slice(2);
const library = (await import(pathToFileURL(`${checkout}/dist/src/index.js`).href)) as typeof ackproof;
const interruption = new library.Interruption();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void interruption.request(signal));

const drill = async (): Promise<string> => {
  const { result, exitCode } = await library.runScenario(await library.loadScenario(scenario), {
    out,
    defects: defect === 'none' ? [] : [defect],
    control: false,
    passDeadlineMs: PASS_DEADLINE_MS,
    interruption,
    toolVersion: 'soundness',
    exitCodeOf,
    exitCodeOfError: () => INTERNAL_ERROR,
  });
  const { verdict, because, findings } = result.judgement;
  const boundsText = result.bounds === 'met' ? '' : ` (bounds: ${result.bounds})`;
  return JSON.stringify({ verdict, exitCode, found: illegal(findings), because: `${because}${boundsText}` });
};

try {
  process.stdout.write(`${await drill()}\n`);
} catch (thrown) {
  process.stderr.write(thrown instanceof library.AckproofError ? thrown.describe() : String(thrown));
  process.exitCode = INTERNAL_ERROR;
}
