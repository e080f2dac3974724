import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionOf, dockerEndpoint } from './docker-endpoint.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-docker-config-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const endpoint = (variables: Readonly<Record<string, string>>) =>
  dockerEndpoint((name) => ({ DOCKER_CONFIG: directory, ...variables })[name]);

const addContext = (name: string, host: string): void => {
  const folder = join(directory, 'contexts', 'meta', createHash('sha256').update(name).digest('hex'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }));
};

test('DOCKER_HOST wins over DOCKER_CONTEXT, which wins over the current context, which wins over the default socket', () => {
  expect(endpoint({})).toMatchObject({ url: 'unix:///var/run/docker.sock', because: 'the default socket' });
  addContext('colima', 'unix:///colima.sock');
  addContext('far', 'tcp://far:2375');
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ currentContext: 'colima' }));
  expect(endpoint({})).toMatchObject({ url: 'unix:///colima.sock' });
  expect(endpoint({ DOCKER_CONTEXT: 'far' })).toMatchObject({
    url: 'tcp://far:2375',
    because: 'the context "far" (DOCKER_CONTEXT)',
  });
  expect(endpoint({ DOCKER_CONTEXT: 'default' })).toMatchObject({ because: 'the default socket' });
  expect(endpoint({ DOCKER_CONTEXT: 'far', DOCKER_HOST: 'tcp://near:1' })).toMatchObject({
    url: 'tcp://near:1',
    because: 'DOCKER_HOST',
  });
});

test('a context that is named and not there is an error, never another engine', () => {
  expect(() => endpoint({ DOCKER_CONTEXT: 'gone' })).toThrow(
    /The Docker context "gone" \(DOCKER_CONTEXT\) is not there/u,
  );
  writeFileSync(join(directory, 'config.json'), '{ torn');
  expect(() => endpoint({})).toThrow(/is no JSON/u);
});

test('what is not named is told as undefined, or the client would fill it in from elsewhere', () => {
  expect(connectionOf({ url: 'unix:///a.sock', because: '' })).toMatchObject({
    socketPath: '/a.sock',
    host: undefined,
  });
  expect(connectionOf({ url: 'tcp://[::1]:99', because: '' })).toMatchObject({
    host: '::1',
    port: 99,
    protocol: 'http',
    socketPath: undefined,
  });
  expect(() => connectionOf({ url: 'ssh://me@far', because: 'DOCKER_HOST' })).toThrow(
    /ssh:\/\/me@far \(DOCKER_HOST\)/u,
  );
});

test('a certificate that cannot be read is told, and is no fault of ackproof itself', () => {
  const gone = join(directory, 'gone.pem');
  const certificates = { ca: gone, cert: gone, key: gone };
  expect(() => connectionOf({ url: 'tcp://far:2376', because: 'the context "far"', certificates })).toThrow(
    /The Docker engine of the context "far" needs .*gone\.pem, which cannot be read\./u,
  );
});
