// A cluster that asks who is there: real Apache Kafka with TLS, logins and client certificates. What is right passes with both
// clients; what is wrong ends in one sentence; and no secret is found in anything that is left.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Connection } from '../../src/wire/connection.ts';
import { Secret } from '../../src/wire/secret.ts';
import { type ProgramResult, runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka } from './kafka/secure-kafka.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios');

/** Every file below a folder, with its content as text. */
const contents = (folder: string): readonly { readonly name: string; readonly text: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, text: readFileSync(name, 'latin1') }));

describeSystem('kafka', () => {
  let kafka: SecureKafka;

  beforeAll(async () => {
    kafka = await startSecureKafka(3);
    // Without its bound: how fast a busy machine is has nothing to do with who may log in.
    const baseline = readFileSync(join(scenarios, 'baseline.yaml'), 'utf8').replace(/^bounds:.*\n/m, '');
    writeFileSync(join(kafka.folder, 'baseline.yaml'), baseline);
  });
  afterAll(async () => {
    await kafka[Symbol.asyncDispose]();
  });

  const targetFile = (name: string, listener: string, security: readonly string[]): string => {
    const file = join(kafka.folder, `${name}.yaml`);
    const servers = kafka.cluster.serversOf(listener).map((address) => `"${address}"`);
    const lines = [
      'apiVersion: ackproof/v1',
      `name: ${name}`,
      'kind: external',
      'profile: apache-kafka',
      `bootstrapServers: [${servers.join(', ')}]`,
      'security:',
      ...security.map((line) => `  ${line}`),
      '',
    ];
    writeFileSync(file, lines.join('\n'));
    return file;
  };

  const login = (mechanism: string, user = 'admin'): readonly string[] => [
    'protocol: SASL_SSL',
    'tls: { ca: { file: ca.pem } }',
    `sasl: { mechanism: ${mechanism}, username: ${user}, password: { env: DRILL_PASSWORD } }`,
  ];

  /** Runs the baseline and looks whether what is left holds a secret. */
  const drill = async (target: string, env: Readonly<Record<string, string>> = {}): Promise<ProgramResult> => {
    const home = join(kafka.folder, 'home');
    const out = join(kafka.folder, 'runs');
    mkdirSync(home, { recursive: true });
    mkdirSync(out, { recursive: true });
    const run = await runProgram(['run', join(kafka.folder, 'baseline.yaml'), '--target', target, '--out', out], {
      XDG_STATE_HOME: home,
      ...env,
    });
    const secrets = [...Object.values(PASSWORDS), ...Object.values(env)];
    const key = readFileSync(join(kafka.folder, 'client.key'), 'utf8').split('\n')[1] ?? '';
    const left = [...contents(out), ...contents(home), { name: 'terminal', text: run.stdout + run.stderr }];
    for (const { name, text } of left) {
      for (const secret of [...secrets, key]) {
        const forms = [
          secret,
          Buffer.from(secret).toString('base64').replace(/=+$/, ''),
          Buffer.from(secret).toString('hex'),
        ];
        for (const form of forms) expect(text.includes(form), `${name} holds a secret`).toBe(false);
      }
    }
    rmSync(out, { recursive: true, force: true });
    return run;
  };

  const passes = async (target: string, env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const run = await drill(target, env);
    expect(run.stdout.split('\n')[0], run.stderr).toMatch(/^PASS/);
    expect(run.exitCode).toBe(0);
  };

  /** The one line that says what is wrong, beside progress. */
  const ends = (run: ProgramResult, exitCode: number, words: RegExp): void => {
    expect(run.exitCode, run.stderr + run.stdout).toBe(exitCode);
    const told = run.stderr.split('\n').filter((line) => /^[A-Z]+_[A-Z_]+ /.test(line));
    expect(told, run.stderr).toHaveLength(1);
    expect(told[0]).toMatch(words);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  };

  describe('baseline.yaml passes with kafkajs and our own client', () => {
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']) {
      test(`logged in by ${mechanism}`, async () => {
        await passes(targetFile('right', 'SECURE', login(mechanism)), { DRILL_PASSWORD: PASSWORDS.admin });
      });
    }

    test('with a client certificate, its files named from the target file', async () => {
      const tls = 'tls: { ca: { file: ca.pem }, certificate: { file: client.pem }, key: { file: client.key } }';
      await passes(targetFile('mutual', 'MUTUAL', ['protocol: SSL', tls]));
    });

    test('through logins that hold for four seconds', async () => {
      const sasl = 'sasl: { mechanism: SCRAM-SHA-512, username: admin, password: { env: DRILL_PASSWORD } }';
      const env = { DRILL_PASSWORD: PASSWORDS.admin };
      await passes(targetFile('brief', 'BRIEF', ['protocol: SASL_PLAINTEXT', sasl]), env);
    });
  });

  test('one connection of ours goes on through several logins, whatever is asked at the same time', async () => {
    const [address = ''] = kafka.cluster.serversOf('BRIEF');
    const [host = '', port = ''] = address.split(':');
    const connection = await Connection.open({
      host,
      port: Number(port),
      clientId: 'test',
      connectTimeoutMs: 10_000,
      security: {
        sasl: { mechanism: 'SCRAM-SHA-512', username: new Secret('admin'), password: new Secret(PASSWORDS.admin) },
      },
    });
    const ask = async (): Promise<number> => {
      const answer = await connection.request('Metadata', { topics: [] }, { deadlineMs: 10_000 });
      return answer.brokers.length;
    };
    for (let round = 0; round < 45; round++) {
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([3, 3, 3]);
      await systemClock.sleep(250);
    }
    expect(connection.closed).toBe(false);
    connection.close();
  });

  describe('what is wrong ends in one sentence', () => {
    test('a wrong password', async () => {
      for (const mechanism of ['PLAIN', 'SCRAM-SHA-256']) {
        const run = await drill(targetFile('wrong', 'SECURE', login(mechanism)), {
          DRILL_PASSWORD: 'planted-wrong-0001',
        });
        ends(run, 69, /refused the login by .*sasl\.password/);
      }
    });

    test('an authority that did not sign the broker’s certificate', async () => {
      const security = login('PLAIN').map((line) => line.replace('ca.pem', 'other-ca.pem'));
      const run = await drill(targetFile('wrong', 'SECURE', security), { DRILL_PASSWORD: PASSWORDS.admin });
      ends(run, 69, /TLS failed.*tls\.ca/);
    });

    test('no client certificate, and one of a stranger', async () => {
      const none = await drill(targetFile('wrong', 'MUTUAL', ['protocol: SSL', 'tls: { ca: { file: ca.pem } }']));
      ends(none, 69, /TLS failed.*tls\.certificate/);
      const tls = 'tls: { ca: { file: ca.pem }, certificate: { file: stranger.pem }, key: { file: stranger.key } }';
      ends(await drill(targetFile('wrong', 'MUTUAL', ['protocol: SSL', tls])), 69, /TLS failed.*tls\.certificate/);
    });

    test('a key that is not that of the certificate', async () => {
      const tls = 'tls: { ca: { file: ca.pem }, certificate: { file: client.pem }, key: { file: stranger.key } }';
      ends(await drill(targetFile('wrong', 'MUTUAL', ['protocol: SSL', tls])), 69, /cannot be used.*PEM/);
    });

    test('a mechanism that the listener does not offer, one that we do not know', async () => {
      const sasl = 'sasl: { mechanism: PLAIN, username: admin, password: { env: DRILL_PASSWORD } }';
      const brief = targetFile('wrong', 'BRIEF', ['protocol: SASL_PLAINTEXT', sasl]);
      const env = { DRILL_PASSWORD: PASSWORDS.admin };
      ends(await drill(brief, env), 69, /does not take PLAIN; it offers SCRAM-SHA-512/);
      const unknown = targetFile('wrong', 'SECURE', login('OAUTHBEARER'));
      ends(await drill(unknown, env), 65, /cannot log in by "OAUTHBEARER".*SCRAM-SHA-256/);
    });

    test('a secret that is not there, one that is written into the file', async () => {
      ends(await drill(targetFile('wrong', 'SECURE', login('PLAIN'))), 69, /DRILL_PASSWORD is not set/);
      const file = login('PLAIN').map((line) => line.replace('{ env: DRILL_PASSWORD }', '{ file: nowhere/password }'));
      ends(await drill(targetFile('wrong', 'SECURE', file)), 69, /nowhere\/password cannot be read/);
      const literal = login('PLAIN').map((line) => line.replace('{ env: DRILL_PASSWORD }', PASSWORDS.drill));
      ends(await drill(targetFile('wrong', 'SECURE', literal)), 65, /never written here.*env/);
    });

    test('a plain client at a listener with TLS, TLS at a plain one, a login where none is taken', async () => {
      ends(await drill(targetFile('wrong', 'SECURE', ['protocol: PLAINTEXT'])), 69, /security/);
      const env = { DRILL_PASSWORD: PASSWORDS.admin };
      ends(await drill(targetFile('wrong', 'BRIEF', login('SCRAM-SHA-512')), env), 69, /TLS/);
    });
  });
});
