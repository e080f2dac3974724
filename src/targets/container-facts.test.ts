import { expect, test } from 'vitest';
import { containerFacts, type RawContainer } from './container-facts.ts';

type Ports = NonNullable<NonNullable<RawContainer['NetworkSettings']>['Ports']>;

const published = (ports: Ports) =>
  containerFacts({ Id: '1', Name: '/one', Image: 'sha256:0', Config: {}, State: {}, NetworkSettings: { Ports: ports } })
    .published;

test('a port that is published on every address is one, whether the engine tells one family or both', () => {
  const everywhere = { containerPort: 9094, host: '127.0.0.1', port: 12091, everywhere: true };
  const both = [
    { HostIp: '0.0.0.0', HostPort: '12091' },
    { HostIp: '::', HostPort: '12091' },
  ];
  expect(published({ '9094/tcp': both })).toEqual([everywhere]);
  expect(published({ '9094/tcp': [{ HostIp: '', HostPort: '12091' }], '9092/tcp': null })).toEqual([everywhere]);
});

test('a port that is published at one address is so there only', () => {
  expect(published({ '9094/tcp': [{ HostIp: '127.0.0.1', HostPort: '12091' }], '53/udp': [] })).toEqual([
    { containerPort: 9094, host: '127.0.0.1', port: 12091 },
  ]);
});
