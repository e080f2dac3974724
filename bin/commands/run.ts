// `run`: the whole drill, or several. Progress on stderr, the result on stdout, the exit code from the verdict.
import { FAIL_ON, type FailOn } from '../exit-codes.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

interface RunOptions {
  readonly scenario: readonly string[];
  readonly target: string | undefined;
  readonly seed: number | undefined;
  readonly out: string;
  readonly report: readonly string[];
  readonly defect: readonly string[];
  readonly failOn: string;
  readonly logFormat: 'text' | 'json';
  readonly format: 'text' | 'json';
  readonly stopOnLoss: boolean;
  readonly keep: boolean;
  readonly maxSize: string;
  readonly yes: boolean;
}

const failOnOf = (written: string, refuse: (message: string) => Error): readonly FailOn[] => {
  const names = written.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(FAIL_ON as readonly string[]).includes(name));
  if (unknown !== undefined) throw refuse(`--fail-on knows ${FAIL_ON.join(', ')}; "${unknown}" is none of them.`);
  return names as FailOn[];
};

type Api = typeof import('../../src/index.ts');

interface CheckedOptions {
  readonly failOn: readonly FailOn[];
  readonly maxBytes: number;
}

const maxBytesOf = (written: string, api: Api): number => {
  const reading = api.parseSize(written);
  if (reading.ok) return reading.value;
  throw new api.UsageError('MAX_SIZE_UNUSABLE', reading.problem.message, { hint: reading.problem.hint });
};

/** What can be told to be wrong about the options before anything is started. */
const checkedOptions = async (options: RunOptions, api: Api): Promise<CheckedOptions> => {
  const formats = (await api.catalogue('reports')).map(({ name }) => name);
  const unknown = options.report.find((name) => !formats.includes(name));
  if (unknown !== undefined) {
    const message = `There is no report format "${unknown}". Known: ${formats.join(', ')}.`;
    throw new api.UsageError('REPORT_UNKNOWN', message);
  }
  const failOn = failOnOf(options.failOn, (message) => new api.UsageError('FAIL_ON_UNKNOWN', message));
  return { failOn, maxBytes: maxBytesOf(options.maxSize, api) };
};

const drill = async (options: RunOptions): Promise<number> => {
  const api = await import('../../src/index.ts');
  // Not needed for --help, which is to be fast.
  const { runDrills } = await import('../drills.ts');
  const { onStopSignals } = await import('../stop-signals.ts');
  const checked = await checkedOptions(options, api);
  const loaded = await api.loadScenarios(options.scenario, {
    ...(options.target === undefined ? {} : { target: options.target }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  });
  const interruption = new api.Interruption();
  const uninstall = onStopSignals((signal) => interruption.request(signal));
  try {
    return await runDrills(api, loaded, { ...options, ...checked }, interruption);
  } finally {
    uninstall();
  }
};

export const run = defineCommand(
  'run <scenario..>',
  'run drills: load, faults, replay, verdict, report',
  (argv) =>
    argv
      .positional('scenario', { type: 'string', array: true, demandOption: true, describe: 'scenario files' })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'a target file or kind instead of the scenario’s own',
      })
      .option('seed', {
        type: 'number',
        requiresArg: true,
        describe: 'decides victims and payloads; default: the scenario’s',
      })
      .option('out', { type: 'string', requiresArg: true, default: 'runs', describe: 'where run directories are made' })
      .option('report', {
        type: 'string',
        requiresArg: true,
        array: true,
        default: [] as string[],
        describe: 'further formats beside html: see `ackproof list reports`',
      })
      .option('defect', {
        type: 'string',
        requiresArg: true,
        array: true,
        default: [] as string[],
        describe: 'start the embedded brokers with a bug of `ackproof list defects`',
      })
      .option('fail-on', {
        type: 'string',
        requiresArg: true,
        default: FAIL_ON.join(','),
        describe: 'what makes the exit code other than 0',
      })
      .option('log-format', {
        requiresArg: true,
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'progress on stderr',
      })
      .option('stop-on-loss', { type: 'boolean', default: false, describe: 'leave the cluster as it is after a loss' })
      .option('keep', {
        type: 'boolean',
        default: false,
        describe: 'leave topic and cluster as they are after the run, until Ctrl-C',
      })
      .option('max-size', {
        type: 'string',
        requiresArg: true,
        default: '4GiB',
        describe: 'what the run directory may hold; more stops the load',
      })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'break a Docker Compose project that runs already, whatever its target file allows',
      })
      .option('format', FORMAT_OPTION)
      .example('$0 run scenarios/leader-kill.yaml', 'kill the leader, read everything back, judge')
      .example('$0 run scenarios/leader-kill.yaml --defect lose-wal-tail', 'see a loss being found')
      .example('$0 run scenarios/*.yaml --report junit', 'a gate for CI'),
  async (options) =>
    await drill({
      ...options,
      failOn: options['fail-on'],
      logFormat: options['log-format'],
      stopOnLoss: options['stop-on-loss'],
      maxSize: options['max-size'],
    }),
);
