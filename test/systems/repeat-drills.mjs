// Runs the drills of scenarios/kafka with the built program until FILE has enough lines of these sources, one line of NDJSON a run: what a
// single run shows once, many show to be so. It goes on where it was stopped. Usage: node test/systems/repeat-drills.mjs FILE [WORKERS]
// Two workers are what two processors take; with more the machine is what is measured.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const [file, workers = '2'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node test/systems/repeat-drills.mjs FILE [WORKERS]');
  process.exit(64);
}
const git = (...words) => execFileSync('git', ['-C', root, ...words], { encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short', 'HEAD');
/** What a drill is made of, whatever else a commit changes. */
const sources = ['src', 'scenarios'].map((folder) => git('rev-parse', '--short=12', `HEAD:${folder}`)).join(' ');
if (git('status', '--porcelain', 'src', 'scenarios') !== '') {
  console.error('src/ or scenarios/ is not as it was committed, so that nobody could run these drills again.');
  process.exit(64);
}

const RUNS = 5;
const RUNS_OF = { 'kafka/no-fault': 20 };
/** What needs containers, and what needs a broker that is not in the cluster yet; all others are run on plain processes. */
const TARGET_OF = {
  'kafka/full-disk': 'compose',
  'kafka/isolated-leader': 'compose',
  'kafka/scale-out': 'process-spare',
};

const scenariosIn = (folder) =>
  readdirSync(join(root, 'scenarios', folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name.slice(0, -'.yaml'.length)}`);

const made = (scenario) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .filter((drill) => drill.sources === sources && drill.scenario === scenario).length
    : 0;

/** In rounds, so that whoever stops it early has some of each. */
const missing = [...scenariosIn('kafka'), ...scenariosIn('kafka/losses')]
  .flatMap((scenario) => {
    const runs = RUNS_OF[scenario] ?? RUNS;
    return Array.from({ length: runs }, (_, index) => ({ scenario, share: index / runs })).slice(made(scenario));
  })
  .sort((one, other) => one.share - other.share)
  .map(({ scenario }) => ({ scenario, target: TARGET_OF[scenario] ?? 'process' }));

/** How many records each illegal class took, by its name. */
const illegalOf = (findings) => {
  const counts = {};
  for (const { anomaly, count, legal } of findings) if (!legal) counts[anomaly] = (counts[anomaly] ?? 0) + count;
  return counts;
};

const run = async (words) =>
  await new Promise((done) => {
    const child = spawn(process.execPath, [join(root, 'dist', 'bin', 'ackproof.js'), ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('close', (status) => done({ status, stderr }));
  });

const drill = async ({ scenario, target }) => {
  const out = mkdtempSync(join(tmpdir(), 'ackproof-repeat-'));
  const started = performance.now();
  const targetFile = join(root, 'scenarios', 'targets', `${target}.yaml`);
  const { status, stderr } = await run([
    ...['run', join(root, 'scenarios', `${scenario}.yaml`)],
    ...['--target', targetFile, '--out', out],
  ]);
  const seconds = Math.round((performance.now() - started) / 1000);
  const told = { scenario, target, commit, sources, exitCode: status, seconds };
  try {
    const name = readdirSync(out).find((each) => existsSync(join(out, each, 'judgement.json')));
    const { judgement, bounds } = JSON.parse(readFileSync(join(out, name, 'judgement.json'), 'utf8'));
    const { heal } = JSON.parse(readFileSync(join(out, name, 'run.json'), 'utf8'));
    const { verdict, because, examined, findings } = judgement;
    // What did not end in a verdict is there to be looked at.
    if (verdict === 'inconclusive') console.error(`${scenario} was inconclusive: ${join(out, name)}`);
    else rmSync(out, { recursive: true, force: true });
    return { ...told, verdict, because, bounds, heal, acked: examined.ok, illegal: illegalOf(findings) };
  } catch {
    console.error(`${scenario} has no judgement: ${out}`);
    return { ...told, trouble: stderr.trim().split('\n').at(-1) };
  }
};

/** Two projects of the shipped compose file would publish the same ports. */
let isComposeTaken = false;
const next = () => {
  const index = missing.findIndex(({ target }) => target !== 'compose' || !isComposeTaken);
  return index < 0 ? undefined : missing.splice(index, 1)[0];
};

const work = async () => {
  for (let one = next(); one !== undefined; one = next()) {
    const isCompose = one.target === 'compose';
    isComposeTaken ||= isCompose;
    appendFileSync(file, `${JSON.stringify(await drill(one))}\n`);
    if (isCompose) isComposeTaken = false;
  }
};

await Promise.all(Array.from({ length: Number(workers) }, work));
