// A run that is about to die, for tests of the watchdog: registers itself, starts the watchdog and processes with the run's mark
// (one of them stopped), writes the intent of a fault, says so, and waits to be killed. Built files only.
import { spawn } from 'node:child_process';
import { createJournal } from '../../dist/src/faults/journal.js';
import { registerRun } from '../../dist/src/faults/registration.js';
import { startWatchdog } from '../../dist/src/faults/watchdog.js';

const { runId, runDirectory, ephemeral, files, edges, sleepers } = JSON.parse(process.argv[2]);
const journalPath = `${runDirectory}/journal.ndjson`;
await registerRun({ runId, runDirectory, journalPath, ephemeral, files, target: 'model', wallMs: Date.now() });
const watchdog = await startWatchdog({ runId, journalPath, ephemeral, files });
const journal = await createJournal(journalPath, { run: runId, at: 0, wallMs: Date.now() });
const start = () => {
  const env = { ...process.env, ACKPROOF_RUN: runId };
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
    env,
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  return child.pid;
};
const pids = Array.from({ length: sleepers }, start);
if (pids[0] !== undefined) process.kill(pids[0], 'SIGSTOP');
await watchdog.ping();
for (const edge of edges) await journal.append(edge);
process.stdout.write(`${JSON.stringify({ watchdog: watchdog.pid, pids })}\n`);
setInterval(() => start(), sleepers === 0 ? 1_000_000 : 40);
