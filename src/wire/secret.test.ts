import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

it('a secret shows itself in no text, no JSON and no log line', () => {
  const secret = new Secret('hunter2-hunter2');
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    JSON.stringify(Object.entries(secret)),
  ];
  expect(shown.join(' ')).not.toContain('hunter2');
  expect(secret.reveal()).toBe('hunter2-hunter2');
});

it('is taken out of the words of others', () => {
  expect(new Secret('hunter2').removedFrom('no user hunter2 here')).toBe('no user (secret) here');
  expect(new Secret('a').removedFrom('a banana')).toBe('a banana');
});
