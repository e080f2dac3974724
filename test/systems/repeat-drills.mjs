// Runs drills again and again with the built program and writes one line of NDJSON for each run: what a single run shows once, many
// show to be so. Usage: node test/systems/repeat-drills.mjs ROUNDS TARGET SCENARIO... >> docs/kafka-drills.ndjson, with scenarios by
// their path below scenarios/, without the ending.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const [rounds = '1', target = 'process', ...scenarios] = process.argv.slice(2);

const commit = () => {
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return process.env.ACKPROOF_COMMIT ?? 'unknown';
  }
};

/** How many records each illegal class took, by its name. */
const illegalOf = (findings) => {
  const counts = {};
  for (const { anomaly, count, legal } of findings) if (!legal) counts[anomaly] = (counts[anomaly] ?? 0) + count;
  return counts;
};

const drill = (scenario, round) => {
  const out = mkdtempSync(join(tmpdir(), 'ackproof-repeat-'));
  const file = join(root, 'scenarios', `${scenario}.yaml`);
  const started = performance.now();
  const words = ['run', file, '--target', join(root, 'scenarios', 'targets', `${target}.yaml`), '--out', out];
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'dist', 'bin', 'ackproof.js'), ...words], {
    encoding: 'utf8',
  });
  const told = { scenario, target, round, commit: process.env.ACKPROOF_COMMIT ?? commit(), exitCode: status };
  const seconds = Math.round((performance.now() - started) / 1000);
  try {
    const [name = ''] = readdirSync(out);
    const { judgement, bounds } = JSON.parse(readFileSync(join(out, name, 'judgement.json'), 'utf8'));
    const { verdict, because, examined, findings } = judgement;
    return { ...told, seconds, verdict, because, bounds, acked: examined.ok, illegal: illegalOf(findings) };
  } catch {
    return { ...told, seconds, trouble: stderr.trim().split('\n').at(-1) };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

for (let round = 1; round <= Number(rounds); round++) {
  for (const scenario of scenarios) process.stdout.write(`${JSON.stringify(drill(scenario, round))}\n`);
}
