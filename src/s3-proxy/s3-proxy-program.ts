// The S3 fault proxy as a program: `node s3-proxy-program.js '<json>'`, settings in proxy-options.ts. Prints one line of JSON with
// its addresses when it serves, and ends on SIGTERM (exit code 0). It outlives whoever started it unless it is told
// `exitOnStdinClose`: brokers would lose their store with it, and its rules die by themselves.
import { describeError, InputError } from '../errors.ts';
import type { S3ProxyOptions } from './proxy-options.ts';
import { startS3Proxy } from './s3-proxy.ts';

interface ProgramConfig extends S3ProxyOptions {
  readonly exitOnStdinClose?: boolean;
}

const readConfig = (argument: string | undefined): ProgramConfig => {
  try {
    return JSON.parse(argument ?? '') as ProgramConfig;
  } catch (cause) {
    throw new InputError('S3_PROXY_OPTIONS', 'The settings are not JSON.', {
      hint: 'Pass one JSON object as the first argument.',
      cause,
    });
  }
};

try {
  const { exitOnStdinClose = false, ...options } = readConfig(process.argv[2]);
  if (exitOnStdinClose) process.stdin.on('close', () => process.exit(0)).resume();
  const proxy = await startS3Proxy(options, (text) => process.stderr.write(`${text}\n`));
  const stop = (): void => {
    void proxy.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  const { listeners, admin } = proxy;
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, listeners, admin })}\n`);
} catch (thrown) {
  process.stderr.write(`${describeError(thrown)}\n`);
  process.exit(thrown instanceof InputError ? 65 : 69);
}
