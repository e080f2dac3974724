// The one table of exit codes. A result decides its code here and nowhere else; no report format and no reporter can.
import type { ErrorKind, RunResult } from '../src/index.ts';

export const EXIT_CODES = [
  { code: 0, name: 'pass', meaning: 'every fault confirmed and healed, every bound met, replay complete' },
  { code: 1, name: 'fail', meaning: 'a durability, order or integrity violation' },
  { code: 2, name: 'inconclusive', meaning: 'the run proves less than it should; the reason is the first line' },
  { code: 3, name: 'bounds missed', meaning: 'the data is safe, a liveness bound was missed' },
  { code: 4, name: 'heal failed', meaning: 'a fault may still be active; the command to heal is printed' },
  { code: 64, name: 'usage', meaning: 'the command line cannot be understood' },
  { code: 65, name: 'bad input', meaning: 'a scenario, target or history cannot be used; every problem is listed' },
  {
    code: 69,
    name: 'unavailable',
    meaning: 'the environment is not as the run needs it, for `plan` too; what to do is printed',
  },
  { code: 70, name: 'internal error', meaning: 'a fault of ackproof itself; the cluster is healed, the ledger kept' },
  { code: 130, name: 'interrupted', meaning: 'stopped by SIGINT; healed, report written' },
  { code: 143, name: 'terminated', meaning: 'stopped by SIGTERM or SIGHUP; healed, report written' },
] as const;
export type ExitCode = (typeof EXIT_CODES)[number]['code'];

export const FAIL_ON = ['fail', 'heal', 'inconclusive', 'bounds'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** The code of an error that ended a command. */
export const exitCodeOfError = (kind: ErrorKind): ExitCode => {
  switch (kind) {
    case 'usage':
      return 64;
    case 'input':
      return 65;
    case 'environment':
      return 69;
    case 'internal':
      return 70;
    case 'interrupted':
      return 130;
    case 'terminated':
      return 143;
    case 'unhealed':
      return 4;
  }
};

const candidates = (
  result: RunResult,
  signal: 'SIGINT' | 'SIGTERM' | undefined,
): readonly [ExitCode, FailOn | 'always'][] => {
  const { judgement, heal, ended, bounds, trouble } = result;
  const list: [ExitCode, FailOn | 'always'][] = [];
  if (judgement.verdict === 'fail') list.push([1, 'fail']);
  if (heal === 'failed') list.push([4, 'heal']);
  if (ended === 'error') list.push([exitCodeOfError(trouble ?? 'internal'), 'always']);
  if (ended === 'interrupted') {
    list.push([signal === 'SIGTERM' || trouble === 'terminated' ? 143 : 130, 'always']);
  }
  if (judgement.verdict === 'inconclusive' || bounds === 'no-samples') list.push([2, 'inconclusive']);
  if (bounds === 'missed') list.push([3, 'bounds']);
  return list;
};

/** The worst of several drills' codes, in the order in which one drill's code is chosen. */
export const worstExitCode = (codes: readonly ExitCode[]): ExitCode => {
  const order: readonly ExitCode[] = [1, 4, 70, 69, 65, 64, 130, 143, 2, 3, 0];
  return order.find((code) => codes.includes(code)) ?? 0;
};

/** The first that applies of 1 > 4 > what the run broke with > 130/143 > 2 > 3 > 0; what `failOn` leaves out does not block. */
export const exitCodeOfResult = (
  result: RunResult,
  failOn: readonly FailOn[] = FAIL_ON,
  signal?: 'SIGINT' | 'SIGTERM',
): ExitCode => {
  const applies = candidates(result, signal).find(([, reason]) => reason === 'always' || failOn.includes(reason));
  return applies?.[0] ?? 0;
};
