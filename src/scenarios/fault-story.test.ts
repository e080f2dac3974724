import { expect, test } from 'vitest';
import { specOf } from '../../test/faults/run-on.ts';
import { FaultStory } from './fault-story.ts';

const kill = (at: unknown) => specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '1s', at });

// Red before: of two links, the one that showed the effect was told as the proof, and the mark was lit.
test('a kind that is sampled twice in a round is shown where both hold', () => {
  const story = new FaultStory('client-partition-1', kill('1s'));
  const applied = { at: 1, wall: '', id: story.id, fault: 'client-partition' as const, edge: 'applied' as const };
  story.edge({ ...applied, by: 'run', victims: ['broker/1'], brokers: [1] });
  const round = (at: number, ...shown: readonly boolean[]): void => {
    shown.forEach((holds, link) => story.sample({ at, kind: 'effect', holds, seen: `link ${link} at ${at}` }));
  };
  round(2, true, false);
  expect([story.marks.effect, story.summary().evidence]).toEqual([
    false,
    [{ kind: 'effect', holds: false, seen: 'link 1 at 2' }],
  ]);
  round(3, true, true);
  expect([story.marks.effect, story.summary().evidence]).toEqual([
    true,
    [{ kind: 'effect', holds: true, seen: 'link 0 at 3' }],
  ]);
});

test('only what is seen between applied and healing counts as proof', () => {
  const story = new FaultStory('process-kill-1', kill('1s'));
  const edge = (name: 'applied' | 'healing', at: number) => ({
    at,
    wall: '',
    id: story.id,
    fault: 'process-kill' as const,
    edge: name,
    by: 'run' as const,
    victims: ['broker/1' as const],
    brokers: [1],
  });
  const see = (at: number, holds: boolean): void => story.sample({ at, kind: 'effect', holds, seen: `at ${at}` });
  see(1, true);
  story.edge(edge('applied', 2));
  expect(story.summary().evidence).toEqual([{ kind: 'effect', holds: false, seen: 'at 1' }]);
  see(3, true);
  see(4, false);
  story.edge(edge('healing', 5));
  see(6, true);
  expect(story.summary()).toMatchObject({
    appliedAt: 2,
    healingAt: 5,
    state: 'healing',
    evidence: [{ kind: 'effect', holds: true, seen: 'at 3' }],
  });
});

test('the mechanism is shown from the first round on in which every victim shows it', () => {
  const story = new FaultStory('graceful-stop-1', kill('1s'));
  const applied = { at: 1, wall: '', id: story.id, fault: 'graceful-stop' as const, edge: 'applied' as const };
  story.edge({ ...applied, by: 'run', victims: ['broker/1', 'broker/2'], brokers: [1, 2] });
  const round = (at: number, ...holds: readonly boolean[]): void => {
    for (const each of holds) story.sample({ at, kind: 'mechanism', holds: each, seen: '' });
  };
  round(2, true, false);
  expect(story.shownAt).toBeUndefined();
  round(3, true, true);
  round(4, true, true);
  expect(story.shownAt).toBe(3);
});
