import { describe, expect, it } from 'vitest';
import { readHosts, type ToldNode, toldToDial, writtenDials } from './kafka-dials.ts';

const VOTERS = { KAFKA_CONTROLLER_QUORUM_VOTERS: '101@vc1:19191,102@vc2:19192' };
const SERVERS = { KAFKA_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS: 'c1:9093, c2:9093' };
const LISTENERS = { KAFKA_LISTENERS: 'INTERNAL://:9092,CLIENT://0.0.0.0:9094' };
const ADVERTISED = { KAFKA_ADVERTISED_LISTENERS: 'INTERNAL://vb2:19092,CLIENT://127.0.0.1:11092' };
const NAMED = { KAFKA_INTER_BROKER_LISTENER_NAME: 'INTERNAL' };

const node = (name: string, ...settings: readonly Readonly<Record<string, string>>[]): ToldNode => ({
  node: name,
  id: `container of ${name}`,
  networks: [{ name: 'n', id: 'n', address: `10.0.0.${name.split('/')[1] ?? ''}`, aliases: [] }],
  environment: Object.assign({}, ...settings) as Readonly<Record<string, string>>,
});
const dials = (from: ToldNode, to: ToldNode): readonly string[] =>
  writtenDials(from, to).map(({ host, port, isAnyController }) => `${host}:${port}${isAnyController ? ' any' : ''}`);

const one = node('broker/1', NAMED, VOTERS);

describe('where a node is told to dial', () => {
  it('a broker, is its advertised listener of the name that brokers use', () => {
    expect(dials(one, node('broker/2', LISTENERS, ADVERTISED))).toEqual(['vb2:19092']);
    const client = node('broker/1', { KAFKA_INTER_BROKER_LISTENER_NAME: 'CLIENT' });
    expect(dials(client, node('broker/2', LISTENERS, ADVERTISED))).toEqual(['127.0.0.1:11092']);
    const plain = node('broker/2', { KAFKA_CFG_ADVERTISED_LISTENERS: 'PLAINTEXT://two:9092' });
    expect(dials(node('broker/1'), plain)).toEqual(['two:9092']);
  });

  it('a broker that advertises nothing, is its container where it listens', () => {
    expect(dials(one, node('broker/2', LISTENERS))).toEqual([':9092']);
  });

  // Red before: a broker was thought to dial the controller beside it past its proxy, and no partition from everybody was made.
  it('a controller, is its place among the voters; where the quorum has servers, also they and what it says of itself', () => {
    const controller = node('controller/2', { KAFKA_NODE_ID: '102', KAFKA_LISTENERS: 'CONTROLLER://0.0.0.0:9093' });
    expect(dials(one, controller)).toEqual(['vc2:19192']);
    const servers = [':9093', 'c1:9093 any', 'c2:9093 any'];
    expect(dials(node('broker/1', SERVERS), controller)).toEqual(servers);
    expect(dials(node('broker/1', VOTERS, SERVERS), controller)).toEqual(['vc2:19192', ...servers]);
  });

  it('a broker that is a controller, too, is both', () => {
    const both = node('broker/2', ADVERTISED, { KAFKA_PROCESS_ROLES: 'broker,controller', KAFKA_NODE_ID: '102' });
    expect(dials(one, both)).toEqual(['vb2:19092', 'vc2:19192']);
  });

  it.each([
    [one, node('broker/2')],
    [node('broker/1'), node('broker/2', ADVERTISED)],
    [one, node('controller/3', { KAFKA_NODE_ID: '103' })],
    [node('broker/1', SERVERS), node('controller/1', { KAFKA_NODE_ID: '101' })],
  ])('is not known where the environment does not tell', (from, to) => {
    expect(() => writtenDials(from, to)).toThrow(/Nothing in the environment of their containers tells where/);
  });

  it('is what the names mean to whoever dials', async () => {
    const asked: string[] = [];
    const exec = async (id: string, command: readonly string[]): Promise<string> => {
      asked.push(`${id} ${command.at(-1) ?? ''}`);
      return await Promise.resolve('172.20.0.3      STREAM vb2\n172.20.0.3      DGRAM  \n');
    };
    const told = await toldToDial({ exec }, one, node('broker/2', ADVERTISED), new AbortController().signal);
    expect(told).toEqual([{ written: 'vb2:19092', hosts: ['172.20.0.3'], port: 19_092 }]);
    expect(asked).toEqual([`${one.id} vb2`]);
    const plain = node('broker/2', LISTENERS);
    const own = [{ written: 'broker/2:9092', hosts: ['10.0.0.2'], port: 9092 }];
    expect(await toldToDial({ exec }, one, plain, new AbortController().signal)).toEqual(own);
    const elsewhere = { ...one, networks: [] };
    const apart = await toldToDial({ exec }, elsewhere, plain, new AbortController().signal);
    expect(apart.map(({ hosts }) => hosts)).toEqual([[]]);
    expect(asked).toHaveLength(1);
    expect(readHosts('/bin/sh: 1: getent: not found\nfe80::1  x\n')).toEqual([]);
  });
});
