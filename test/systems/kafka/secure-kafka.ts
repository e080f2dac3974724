// An Apache Kafka that asks who is there: TLS by a certificate authority of its own, logins by PLAIN and SCRAM, client
// certificates, and an authorizer that refuses what nobody granted. Certificates are made with openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KafkaCluster, startKafka } from './kafka-cluster.ts';

/** Long and unlike anything else, so that a search for them finds them and nothing but them. */
export const PASSWORDS = { admin: 'planted-Adm1n-7f3a9c51', drill: 'planted-Dr1ll-20be77d4' } as const;

export interface SecureKafka extends AsyncDisposable {
  readonly cluster: KafkaCluster;
  /** Holds ca.pem, client.pem, client.key, stranger.pem, stranger.key and other-ca.pem. */
  readonly folder: string;
}

const openssl = (folder: string, ...words: string[]): void => {
  execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
};

const makeAuthority = (folder: string, name: string): void => {
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  openssl(folder, ...words, '-keyout', `${name}.key`, '-out', `${name}.pem`);
};

const makeCertificate = (folder: string, name: string, authority: string, subject: string): void => {
  writeFileSync(join(folder, `${name}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', subject];
  openssl(folder, ...request, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  const sign = ['x509', '-req', '-in', `${name}.csr`, '-CA', `${authority}.pem`, '-CAkey', `${authority}.key`];
  openssl(folder, ...sign, '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`);
};

const makeCertificates = (folder: string): void => {
  makeAuthority(folder, 'ca');
  makeAuthority(folder, 'other-ca');
  makeCertificate(folder, 'broker', 'ca', '/CN=broker');
  makeCertificate(folder, 'client', 'ca', '/CN=drill-certificate');
  makeCertificate(folder, 'stranger', 'other-ca', '/CN=stranger');
  const chain = ['broker.key', 'broker.pem'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  writeFileSync(join(folder, 'keystore.pem'), chain);
};

const PLAIN_MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';

const linesOf = (folder: string): readonly string[] => [
  'ssl.keystore.type=PEM',
  `ssl.keystore.location=${join(folder, 'keystore.pem')}`,
  'ssl.truststore.type=PEM',
  `ssl.truststore.location=${join(folder, 'ca.pem')}`,
  'listener.name.mutual.ssl.client.auth=required',
  'listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
  `listener.name.secure.plain.sasl.jaas.config=${PLAIN_MODULE} user_admin="${PASSWORDS.admin}" user_drill="${PASSWORDS.drill}";`,
  `listener.name.secure.scram-sha-256.sasl.jaas.config=${SCRAM_MODULE}`,
  `listener.name.secure.scram-sha-512.sasl.jaas.config=${SCRAM_MODULE}`,
  // Logins here hold for four seconds only.
  'listener.name.brief.sasl.enabled.mechanisms=SCRAM-SHA-512',
  `listener.name.brief.scram-sha-512.sasl.jaas.config=${SCRAM_MODULE}`,
  'listener.name.brief.connections.max.reauth.ms=4000',
  'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users=User:ANONYMOUS;User:admin;User:CN=drill-certificate',
];

/** Kafka takes one mechanism of a user at a time. */
const addUser = async (cluster: KafkaCluster, name: keyof typeof PASSWORDS, mechanism: string): Promise<void> => {
  const scram = `${mechanism}=[password=${PASSWORDS[name]}]`;
  const where = ['--bootstrap-server', cluster.bootstrapServers.join(',')];
  const what = ['--alter', '--add-config', scram, '--entity-type', 'users', '--entity-name', name];
  await cluster.tool('kafka.admin.ConfigCommand', [...where, ...what]);
};

/** Listeners SECURE (SASL_SSL), MUTUAL (SSL) and BRIEF (SASL_PLAINTEXT); users admin, who may everything, and drill, who may nothing. */
export const startSecureKafka = async (count: number): Promise<SecureKafka> => {
  const folder = mkdtempSync(join(tmpdir(), 'ackproof-secure-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    makeCertificates(folder);
    const listeners = { SECURE: 'SASL_SSL', MUTUAL: 'SSL', BRIEF: 'SASL_PLAINTEXT' };
    const cluster = await startKafka(count, { listeners, lines: linesOf(folder) });
    try {
      for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512']) {
        await Promise.all([addUser(cluster, 'admin', mechanism), addUser(cluster, 'drill', mechanism)]);
      }
    } catch (thrown) {
      await cluster[Symbol.asyncDispose]();
      throw thrown;
    }
    return {
      cluster,
      folder,
      [Symbol.asyncDispose]: async () => {
        await cluster[Symbol.asyncDispose]();
        remove();
      },
    };
  } catch (thrown) {
    remove();
    throw thrown;
  }
};
