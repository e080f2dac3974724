// A cluster that is not ours: the mock brokers inside librdkafka, started through kcat. They know old versions of the protocol
// only, which is what makes them useful. They live as long as the kcat process.
import { type ChildProcess, spawn } from 'node:child_process';

export interface MockCluster extends AsyncDisposable {
  readonly bootstrap: readonly { readonly host: string; readonly port: number }[];
}

const STARTUP_MS = 10_000;

const addressesIn = (log: string): { host: string; port: number }[] | undefined => {
  const list = /bootstrap\.servers=(\S+)/.exec(log)?.[1]?.split(',');
  if (list === undefined || !log.includes('Mock cluster enabled')) return undefined;
  return list.map((address) => {
    const [host, port] = address.split(':');
    return { host: host ?? '', port: Number(port) };
  });
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.kill('SIGKILL');
  });
};

/** Mock brokers that listen on free ports; the topic `orders` appears when it is first asked for, with four partitions. */
export const startMockCluster = async (brokers: number): Promise<MockCluster> => {
  const options = ['-X', `test.mock.num.brokers=${brokers}`, '-X', 'debug=mock', '-b', 'unused:1', '-P', '-t', 'warm'];
  const child = spawn('kcat', options, { stdio: ['pipe', 'ignore', 'pipe'] });
  let log = '';
  const bootstrap = await new Promise<{ host: string; port: number }[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`kcat did not start its mock cluster: ${log}`)), STARTUP_MS);
    child.once('error', () => reject(new Error('kcat is not here. Install it: apt-get install -y kcat')));
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-20_000);
      const found = addressesIn(log);
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
  return { bootstrap, [Symbol.asyncDispose]: async () => await stop(child) };
};
