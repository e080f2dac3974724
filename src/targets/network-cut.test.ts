import { describe, expect, it } from 'vitest';
import type { NetworkCut } from './container-control.ts';
import { cutCommand, cutDifferences, holdScript, readConnects, readDrops, readListening } from './network-cut-rules.ts';

const many = Array.from({ length: 17 }, (_, index) => 9000 + index);
const CUT: NetworkCut = {
  name: 'ackproof-x-cut-broker-1-y',
  runId: 'x',
  program: 'iptables',
  image: 'image',
  chain: 'ACKPROOF-11111111-22222222',
  rules: ['-P INPUT ACCEPT', '-P OUTPUT ACCEPT', '-A INPUT -s 10.9.9.9/32 -j DROP'],
  sinceMs: 1000,
  peers: [
    { node: 'broker/2', places: [{ host: '172.20.0.3', ports: [9092, 9094] }] },
    { node: 'controller/1', places: [{ host: '172.20.0.9', ports: [9093] }] },
  ],
};

describe('a cut by iptables', () => {
  it('names its chain within the 28 characters that iptables takes', () => {
    expect(CUT.chain.length).toBeLessThanOrEqual(28);
  });

  it('drops both ways of the connections that are dialled, and jumps there last, before everything else', () => {
    const lines = holdScript(CUT).split('\n');
    expect(lines.filter((line) => line.includes(' -A ')).map((line) => line.split(' || ')[0])).toEqual([
      `iptables -w -A ${CUT.chain} -p tcp -d 172.20.0.3 -m multiport --dports 9092,9094 -j DROP`,
      `iptables -w -A ${CUT.chain} -p tcp -s 172.20.0.3 -m multiport --sports 9092,9094 -j DROP`,
      `iptables -w -A ${CUT.chain} -p tcp -d 172.20.0.9 -m multiport --dports 9093 -j DROP`,
      `iptables -w -A ${CUT.chain} -p tcp -s 172.20.0.9 -m multiport --sports 9093 -j DROP`,
    ]);
    const jumps = lines.filter((line) => line.includes(' -I '));
    expect(jumps.map((line) => line.split(' || ')[0])).toEqual([
      `iptables -w -I INPUT 1 -j ${CUT.chain}`,
      `iptables -w -I OUTPUT 1 -j ${CUT.chain}`,
    ]);
    expect(lines.indexOf('echo held')).toBe(lines.indexOf(jumps[1] ?? '') + 1);
  });

  it('takes more ports than one rule does', () => {
    const script = holdScript({ ...CUT, peers: [{ node: 'broker/2', places: [{ host: '172.20.0.3', ports: many }] }] });
    expect(script.match(/--dports (\S+)/gu)).toEqual([`--dports ${many.slice(0, 15).join()}`, '--dports 9015,9016']);
  });

  // As iptables v1.8.9 (nf_tables) prints it; iptables-legacy prints the same.
  const LISTED = `-P INPUT ACCEPT -c 7 900
-P OUTPUT ACCEPT -c 8 901
-N ${CUT.chain}
-A INPUT -c 12 900 -j ${CUT.chain}
-A OUTPUT -c 30 2000 -j ${CUT.chain}
-A ${CUT.chain} -d 172.20.0.3/32 -p tcp -m multiport --dports 9092,9094 -c 12 720 -j DROP
-A ${CUT.chain} -s 172.20.0.3/32 -p tcp -m multiport --sports 9092,9094 -c 3 180 -j DROP
-A ${CUT.chain} -d 172.20.0.9/32 -p tcp -m multiport --dports 9093 -c 1 60 -j DROP
-A ${CUT.chain} -s 172.20.0.9/32 -p tcp -m multiport --sports 9093 -c 0 0 -j DROP
`;

  it('is taken away by hand with the helper, its volumes and every jump', () => {
    const command = cutCommand(CUT, 'c1');
    expect(command).toMatch(
      /^docker rm -fv \$\(docker ps -aq --filter label=ackproof\.cuts=ackproof-x-cut-broker-1-y\);/u,
    );
    expect(command).toMatch(
      /--network container:c1 .* image -c 'while iptables -w -D INPUT -j ACKPROOF-11111111-22222222/u,
    );
  });

  it('counts what was dropped of each peer', () => {
    expect(readDrops(LISTED, CUT)).toEqual({ 'broker/2': 15, 'controller/1': 1 });
  });

  it.each(['-A OUTPUT -c 30 2000 -j', '-A INPUT -c 12 900 -j', '--sports 9093'])(
    'counts nothing where a rule is not in force: %s',
    (gone) => {
      const left = LISTED.split('\n').filter((line) => !line.includes(gone));
      expect(readDrops(left.join('\n'), CUT)).toEqual({});
    },
  );

  it('tells how attempts to connect ended', () => {
    expect(readConnects('connect broker/2 124\nconnect controller/1 0\nconnect broker/3 1\nconnect x')).toEqual({
      'broker/2': 'timeout',
      'controller/1': 'ok',
      'broker/3': 'refused',
    });
  });

  it('takes a node as reached that is reached in one of its places', () => {
    const lines = ['connect a 124', 'connect a 0', 'connect b 124', 'connect b 1', 'connect c 124', 'connect c 124'];
    expect(readConnects(lines.join('\n'))).toEqual({ a: 'ok', b: 'refused', c: 'timeout' });
  });

  it('is over once the filter is as it was, whatever other cuts have there', () => {
    const others = ['-N ACKPROOF-11111111-33333333', '-A INPUT -j ACKPROOF-11111111-33333333'];
    expect(cutDifferences(CUT, [...CUT.rules, ...others], 1000)).toEqual([]);
    expect(cutDifferences(CUT, [...CUT.rules, `-N ${CUT.chain}`, `-A INPUT -j ${CUT.chain}`], 1000)).toEqual([
      `"-N ${CUT.chain}" was not there`,
      `"-A INPUT -j ${CUT.chain}" was not there`,
    ]);
    expect(cutDifferences(CUT, CUT.rules.slice(0, 2), 1000)).toEqual(['"-A INPUT -s 10.9.9.9/32 -j DROP" is gone']);
  });

  it('is over in a container that was started again, whose filter is another one', () => {
    expect(cutDifferences(CUT, ['-P INPUT ACCEPT'], 2000)).toEqual([]);
    expect(cutDifferences(CUT, [`-N ${CUT.chain}`], 2000)).toHaveLength(1);
  });
});

describe('ports that something listens on', () => {
  it('are those of /proc/net/tcp and tcp6, but for loopback and for connections', () => {
    const row = (address: string, port: string, state: string): string =>
      `   0: ${address}:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0`;
    const wide = (address: string, port: string): string =>
      `   1: ${address}:${port} 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1`;
    const output = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      row('00000000', '2384', '0A'),
      row('0B00007F', '9C41', '0A'),
      row('030014AC', '1F90', '0A'),
      row('00000000', '2385', '01'),
      wide('00000000000000000000000000000000', '2386'),
      wide('00000000000000000000000001000000', '2387'),
      wide('0000000000000000FFFF00000100007F', '2388'),
    ].join('\n');
    expect(readListening(output)).toEqual([8080, 9092, 9094]);
  });
});
