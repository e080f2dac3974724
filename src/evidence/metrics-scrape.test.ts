import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterFact } from './cluster-fact.ts';
import { seriesIn } from './metric-series.ts';
import { scrape, watchMetrics } from './metrics-scrape.ts';

/** What is answered, in turn; the last one for ever. */
let answers: { status: number; text: string }[];
let server: Server;
let url: string;

beforeEach(async () => {
  answers = [];
  server = createServer((_, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    response.writeHead(answer?.status ?? 500).end(answer?.text ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
});

afterEach(() => {
  server.close();
});

const signal = AbortSignal.timeout(30_000);
const under = (count: number): string => `kafka_server_replicamanager_underreplicatedpartitions ${count}.0\n`;

describe('the series of a scrape', () => {
  it.each([
    ['kafka_server_ReplicaManager_UnderReplicatedPartitions{} 2', 'under-replicated-partitions', 2],
    [
      'kafka_server_replica_manager_under_replicated_partitions_value 2.0 1719830000000',
      'under-replicated-partitions',
      2,
    ],
    ['kafka_controller_kafkacontroller_activecontrollercount_value 1', 'active-controllers', 1],
    ['kafka_controller_controllerstats_uncleanleaderelections_total 3', 'unclean-elections', 3],
    ['kafka_controller_ControllerStats_UncleanLeaderElectionsPerSec_Count 3', 'unclean-elections', 3],
    ['kafka_server_replicamanager_underminisrpartitioncount 4', 'under-min-isr-partitions', 4],
  ])('knows %s', (line, kind, value) => {
    expect([...seriesIn(`# HELP x\n${line}\nother 7\n`)]).toEqual([[kind, value]]);
  });

  it('counts a meter by its count, and what is told for each topic as well once', () => {
    const text = [
      'kafka_server_brokertopicmetrics_failedproducerequests_total 5',
      'kafka_server_brokertopicmetrics_failedproducerequests_total{topic="orders"} 5',
      'kafka_server_brokertopicmetrics_failedproducerequests_oneminuterate 0.3',
    ].join('\n');
    expect([...seriesIn(text)]).toEqual([['failed-produce-requests', 5]]);
  });

  it('takes neither NaN nor what is no sample', () => {
    expect(seriesIn('kafka_controller_offlinepartitionscount NaN\n<html>kafka</html>\n').size).toBe(0);
  });
});

describe('a scrape', () => {
  it('that is no success, or holds nothing that is known, fails whatever its status', async () => {
    answers = [{ status: 503, text: under(1) }];
    await expect(scrape(url, signal)).rejects.toThrow('HTTP 503');
    answers = [{ status: 200, text: '<html>please log in</html>' }];
    await expect(scrape(url, signal)).rejects.toThrow('holds none of the series');
  });

  // Red before: a token in the query was written into every note of the run.
  it('is told by its address without the query', async () => {
    answers = [
      { status: 200, text: under(0) },
      { status: 500, text: '' },
    ];
    const facts: ClusterFact[] = [];
    const source = { node: 'broker/1', url: `${url}?token=planted-9c#planted-9c` };
    const watch = watchMetrics({ sources: [source], onFact: (fact) => facts.push(fact), everyMs: 5 });
    await expect.poll(() => facts.some(({ text }) => text.startsWith('away'))).toBe(true);
    await watch[Symbol.asyncDispose]();
    expect(facts[0]).toMatchObject({ data: { url } });
    expect(facts.find(({ text }) => text.startsWith('away'))?.text).toContain(`${url} is answered with HTTP 500`);
    expect(JSON.stringify(facts)).not.toContain('planted-9c');
  });

  it('tells the first values and what changes, and a failing address once, without ending anything', async () => {
    answers = [
      { status: 200, text: under(0) },
      { status: 200, text: under(0) },
      { status: 200, text: under(2) },
      { status: 500, text: '' },
    ];
    const facts: ClusterFact[] = [];
    const watch = watchMetrics({
      sources: [{ node: 'broker/1', url }],
      onFact: (fact) => facts.push(fact),
      everyMs: 5,
    });
    await expect.poll(() => facts.some(({ text }) => text.startsWith('away'))).toBe(true);
    await watch[Symbol.asyncDispose]();
    const told = facts.filter(({ source }) => source === 'metrics/broker/1');
    expect(told.map(({ text }) => text.slice(0, 40))).toEqual([
      'under-replicated-partitions 0',
      'under-replicated-partitions 2 (was 0)',
      expect.stringMatching(/^away: METRICS_UNUSABLE/),
    ]);
    expect(facts.at(-1)).toMatchObject({ source: 'coverage', data: { watch: 'metrics/broker/1', answered: 3 } });
  });
});
