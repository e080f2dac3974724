import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';
import { probeKafka } from './probes/kafka-connection.ts';
import { reachOf } from './undo.ts';

const never = new AbortController().signal;
const cut = { fault: 'client-partition', victim: { broker: 2 } };

describe.concurrent('client-partition', () => {
  modelTest('refuses clients of one broker while that broker and the others are well', async ({ target }) => {
    const during: string[] = [];
    const { outcome, samples } = await runUntil(target, cut, {
      first: async () => {
        for (const { advertised, node } of target.brokers) {
          during.push(`${node} ${(await probeKafka(advertised, 20_000, never)).class}`);
        }
      },
    });
    expect(outcome.confirmed).toBe(true);
    expect(during).toEqual(['broker/1 ok', 'broker/2 refused', 'broker/3 ok']);
    const seen = samples.map((sample) => sample.seen).join('\n');
    expect(seen).toMatch(/held connection: (eof|reset)/);
    expect(seen).toContain('broker/2 directly: ok');
  });

  modelTest('swallows everything without an answer as a blackhole, on held connections too', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { ...cut, params: { mode: 'blackhole' } });
    expect(outcome.confirmed).toBe(true);
    expect(samples.map((sample) => sample.seen).join('\n')).toContain('held connection: timeout');
  });

  modelTest('ends early when somebody opens the way again', async ({ target }) => {
    const [link] = target.can.links.all.filter(({ proxy }) => proxy === 'client-broker-2');
    const open = async (): Promise<void> => {
      if (link !== undefined) await reachOf(target).toxiproxy(link.admin).setEnabled(link.proxy, true);
    };
    const { outcome } = await runUntil(
      target,
      cut,
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') void open();
        },
      },
    );
    expect(outcome.reason).toBe('ended-early: client-broker-2 is enabled');
    expect(outcome.healed).toBe('healed');
  });

  modelTest('is a matter of scope when the broker itself is gone', async ({ target }) => {
    const { outcome } = await runOn(
      target,
      { ...cut, duration: '1200ms', heal: { timeout: '1s' } },
      {
        onEdge: ({ edge }) => {
          if (edge === 'intent') void target.cluster.control.kill('broker/2', never);
        },
      },
    );
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toBeDefined();
  });
});
