// The run.json of runs that tests make up: a passing run of the embedded cluster, complete and clean, without a part.
import type { RunRecord } from '../../src/ledger/run-record.ts';
import { EXAMPLE_CONTRACT } from './example-contract.ts';

/** The record with what a test changes of it. */
export const exampleRecord = (change: Partial<RunRecord> = {}): RunRecord => ({
  formatVersion: 1,
  tool: { name: 'ackproof', version: '0.1.0' },
  runId: 'r',
  scenario: { name: 'tiny', claim: 'It holds.', file: 'tiny.yaml', digest: '00' },
  target: { kind: 'embedded', name: 'embedded', fingerprint: {} },
  contract: EXAMPLE_CONTRACT,
  bounds: {},
  workload: {},
  defects: [],
  baseline: false,
  seed: 7,
  environment: {},
  wallStart: '2026-11-29T16:04:11.000Z',
  parts: [],
  ended: 'complete',
  errors: [],
  heal: 'clean',
  verdict: 'pass',
  because: '',
  exitCode: 0,
  reproduce: { run: 'ackproof run tiny.yaml', judge: 'ackproof judge run' },
  ...change,
});
