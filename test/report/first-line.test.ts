// The reason for the verdict is the first thing that every format says.
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { MOST_LINES, renderTerminal } from '../../src/report/terminal.ts';
import { BROKEN, SAMPLES } from './sample-models.ts';

const EXPECTED = [
  [SAMPLES.pass, 'PASS 12,000 acked records all read back in 2 passes; 50 unknown outcomes'],
  [
    SAMPLES.fail,
    'FAIL 100 acked records missing: orders/0 offsets 2047-2146, acked at 2.958 s, 0.042 s before process-kill',
  ],
  [SAMPLES.inconclusive, 'INCONCLUSIVE fault process-kill-1 was never shown to bite'],
  [SAMPLES.interrupted, 'INTERRUPTED pass so far: 4,000 acked records all read back in 1 pass'],
  [BROKEN, 'ERROR RUN_BROKE — The run broke: the disk is full.'],
] as const;

describe.each(EXPECTED)('%#', (model, line) => {
  test(`the model’s headline is "${line}"`, () => expect(model.headline).toBe(line));

  test('it is the first line of text', () => {
    expect(renderTerminal(model, {}).split('\n')[0]).toBe(line);
    expect(renderMarkdown(model).split('\n')[0]?.replaceAll('\\', '')).toBe(`# ${line}`);
  });

  test('it is the first member of the JSON', () => {
    expect(Object.entries(JSON.parse(renderJson(model)) as object)[0]).toEqual(['headline', line]);
  });

  test('it is in the first line of the JUnit file', () => {
    expect(renderJunit(model).split('\n')[0]).toContain(`<testsuites name="${line}"`);
  });

  test('it is the title and the first text of the HTML page', () => {
    const page = renderHtml(model);
    expect(page).toContain(`<title>${line}</title>`);
    const text = page
      .slice(page.indexOf('<body>'))
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    expect(text.startsWith(line)).toBe(true);
  });

  test('the terminal’s report is no longer than a screen, however narrow', () => {
    for (const width of [20, 80, 200]) {
      const lines = renderTerminal(model, { width }).trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
      const widest = Math.max(...lines.slice(1).map((one) => one.length));
      expect(widest).toBeLessThanOrEqual(Math.max(40, Math.min(120, width)));
    }
  });
});

test('only the terminal’s report has colour, and only when asked for', () => {
  expect(renderTerminal(SAMPLES.fail, {})).not.toContain('\u001b');
  expect(renderTerminal(SAMPLES.fail, { colour: true })).toContain('\u001b[1;31mFAIL\u001b[0m');
});
