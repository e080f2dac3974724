import { describe, expect, it } from 'vitest';
import { readBrokerConfig } from './broker-config.ts';

const at = { host: '127.0.0.1', port: 0 };
const config = {
  clusterId: 'c',
  brokerId: 1,
  client: at,
  direct: at,
  controller: at,
  stores: { meta: at, wal: at, data: at, bucket: 'b' },
};

describe('the configuration of a broker', () => {
  it('needs addresses and names, and has defaults for everything else', () => {
    expect(readBrokerConfig(config)).toMatchObject({
      sessionTimeoutMs: 1000,
      heartbeatMs: 150,
      admin: at,
      client: { advertisedHost: '127.0.0.1', advertisedPort: 0 },
      defects: [],
    });
  });

  it.each([
    ['clusterId', { clusterId: '' }],
    ['brokerId', { brokerId: 1.5 }],
    ['port', { client: { host: 'h', port: 'x' } }],
    ['stores', { stores: undefined }],
    ['bucket', { stores: { ...config.stores, bucket: 7 } }],
    ['defects', { defects: 'no-fencing' }],
  ])('that has a wrong %s is refused by that name', (name, change) => {
    expect(() => readBrokerConfig({ ...config, ...change })).toThrow(new RegExp(`"${name}"`));
  });

  it('names the nearest defect for one that does not exist', () => {
    expect(() => readBrokerConfig({ ...config, defects: ['no-fence'] })).toThrow(
      expect.objectContaining({ code: 'BROKER_UNKNOWN_DEFECT', hint: expect.stringContaining('no-fencing') as string }),
    );
  });
});
