import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findKafka } from './kafka-home.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-home-'));
  const java = join(folder, 'jdk', 'bin', 'java');
  mkdirSync(join(folder, 'jdk', 'bin'), { recursive: true });
  writeFileSync(java, '#!/bin/sh\necho \'openjdk version "21.0.1" 2023-10-17\' >&2\n', { mode: 0o755 });
  vi.stubEnv('JAVA_HOME', join(folder, 'jdk'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('ACKPROOF_KAFKA_HOME', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const jarsIn = (place: string, version: string): string => {
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, `kafka_2.13-${version}.jar`), '');
  return join(folder, place);
};

describe('where Kafka is', () => {
  it('is the folder that was named, with libs below it or with the jars in it', async () => {
    jarsIn('kafka/libs', '4.1.2');
    expect(await findKafka(join(folder, 'kafka'))).toMatchObject({ version: '4.1.2', javaVersion: '21.0.1' });
    expect(await findKafka(jarsIn('jars', '3.9.0'))).toMatchObject({ version: '3.9.0', libs: join(folder, 'jars') });
  });

  it('is looked for from the folder of the file that names it; a variable counts from where we are', async () => {
    jarsIn('home', '4.1.2');
    expect(await findKafka('./home', folder)).toMatchObject({ version: '4.1.2', libs: join(folder, 'home') });
    await expect(findKafka('./home', tmpdir())).rejects.toMatchObject({ code: 'KAFKA_NOT_FOUND' });
    vi.stubEnv('ACKPROOF_KAFKA_HOME', './home');
    await expect(findKafka(undefined, folder)).rejects.toMatchObject({ code: 'KAFKA_NOT_FOUND' });
  });

  it('is the newest that was fetched where nothing was named', async () => {
    jarsIn('cache/ackproof/kafka-4.9.0/libs', '4.9.0');
    jarsIn('cache/ackproof/kafka-4.10.1/libs', '4.10.1');
    expect(await findKafka(undefined)).toMatchObject({ version: '4.10.1' });
  });

  it('is said to be missing with how to get it', async () => {
    await expect(findKafka(undefined)).rejects.toMatchObject({ code: 'KAFKA_NOT_FOUND', hint: /kafka:fetch/ });
    await expect(findKafka(folder)).rejects.toThrow(/no jars of Apache Kafka in/);
  });

  it('needs a Java that can be run', async () => {
    vi.stubEnv('JAVA_HOME', join(folder, 'nowhere'));
    await expect(findKafka(jarsIn('jars', '4.1.2'))).rejects.toMatchObject({ code: 'JAVA_NOT_FOUND' });
  });
});
