import { resolve } from 'node:path';
import { expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { externalSpecSchema } from '../targets/external-spec.ts';
import { lookAtCluster, renderLook } from './cluster-look.ts';
import { loadScenario } from './loader.ts';

const election = loadScenario(resolve('scenarios', 'kafka', 'leader-election.yaml'));

const spec = (bootstrapServers: readonly string[], more: object = {}) =>
  externalSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'external', bootstrapServers, ...more });

/** The scenario on the model's cluster, as somebody who does not know what that is. */
const onModel = (target: ModelTarget, more: object, existing: boolean) => {
  const { scenario } = election;
  const topic = { ...scenario.workload.topic, name: 'orders-real', existing };
  const [fault] = scenario.faults;
  if (fault === undefined) throw new Error('leader-election has a fault');
  const victim = { kind: 'leaderOf', topic: 'orders-real', partition: 1 } as const;
  return {
    ...election,
    scenario: { ...scenario, workload: { ...scenario.workload, topic }, faults: [{ ...fault, victim }] },
    target: spec(
      target.bootstrap.map(({ host, port }) => `${host}:${port}`),
      more,
    ),
  };
};

modelTest(
  'says who is there, behind which proxy, and whom a fault would hit now; nothing is changed',
  async ({ target }) => {
    const [link] = target.can.links.all;
    const toxiproxy = `http://${link?.admin.host ?? ''}:${link?.admin.port ?? 0}`;
    const found = await lookAtCluster(onModel(target, { toxiproxy }, true));
    if (found === undefined) throw new Error('there is a cluster to look at');
    const text = renderLook(found);
    const [first] = target.brokers;
    expect(text).toContain('cluster:      model, 3 brokers: ');
    expect(text).toContain(`1 at 127.0.0.1:${first?.advertised.port ?? 0} by the proxy client-broker-1`);
    expect(text).toMatch(/\nvictim now: {3}leader-election: broker \d, the leader of orders-real\/1 in epoch \d+$/);
    expect(target.cluster.acts).toEqual([]);
  },
);

modelTest('does not guess who will lead a topic that the run makes', async ({ target }) => {
  expect(await lookAtCluster(onModel(target, {}, false))).toMatchObject({ clusterId: 'model', victims: [] });
});

modelTest('tells what keeps it from looking, and looks at nothing that only a run would start', async () => {
  const gone = await lookAtCluster({ ...election, target: spec(['127.0.0.1:9']) });
  expect(gone).toEqual({
    trouble: expect.stringMatching(/^TARGET_UNREACHABLE — None of the bootstrapServers answered/) as string,
    kind: 'environment',
  });
  expect(await lookAtCluster(loadScenario(resolve('scenarios', 'leader-kill.yaml')))).toBeUndefined();
});
