// The object store as a process of its own, which can be killed. Needs `npm run build` before.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const STORE_PROGRAM = fileURLToPath(
  new URL('../../dist/src/embedded/object-store/object-store-program.js', import.meta.url),
);

export interface StoreProcess {
  readonly child: ChildProcess;
  /** Of its one listener. */
  readonly port: number;
}

export const exitOf = async (child: ChildProcess): Promise<number | null> =>
  await new Promise((resolve) => child.once('exit', (code) => resolve(code)));

/** Started with the bucket `records` and one listener; `settings` say where it keeps what it keeps. */
export const startStoreProcess = async (settings: {
  readonly directory: string;
  readonly requestLog?: string;
  readonly minPartBytes?: number;
}): Promise<StoreProcess> => {
  const config = { listeners: [{ name: 'wal', port: 0 }], buckets: ['records'], exitOnStdinClose: true, ...settings };
  const arguments_ = [STORE_PROGRAM, JSON.stringify(config)];
  const child = spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the store ended with ${code}`)));
  });
  const ready = JSON.parse(line) as { listeners: Record<string, number> };
  return { child, port: ready.listeners['wal']! };
};
