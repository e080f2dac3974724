// The HTML report as a browser takes it: one well-formed file that asks nothing of any network, with names for everything
// that a reader who does not see it needs, and no larger than can be mailed.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html.ts';
import type { PartReport, ReportModel } from '../../src/report/model.ts';
import { BROKEN, completed, hostile, SAMPLES } from './sample-models.ts';

const VOID = new Set(['meta', '!doctype', 'br', 'img', 'input', 'link']);

/** What is wrong with the nesting of a page's elements; empty for a good one. */
const nestingTrouble = (page: string): string[] => {
  const open: string[] = [];
  const bare = page.replace(/<(style|script)\b([^>]*)>[\s\S]*?<\/\1>/g, '<$1$2></$1>');
  for (const [, close = '', name = '', selfClosed = ''] of bare.matchAll(/<(\/?)([!a-zA-Z][\w-]*)[^>]*?(\/?)>/g)) {
    if (VOID.has(name.toLowerCase()) || selfClosed === '/') continue;
    if (close === '') open.push(name);
    else if (open.pop() !== name) return [`</${name}> closes another element`];
  }
  return open.map((name) => `<${name}> is never closed`);
};

const attribute = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

const PAGES = Object.entries({ ...SAMPLES, broken: BROKEN, hostile: hostile('"><b>\'</svg>') }).map(
  ([name, model]) => [name, renderHtml(model)] as const,
);

describe.each(PAGES)('the page of %s', (_name, page) => {
  test('nests its elements', () => expect(nestingTrouble(page)).toEqual([]));

  test('names nothing outside itself', () => {
    const address = page.replaceAll('http-equiv', '');
    expect(address).not.toMatch(/https?:|url\(|@import|<link|<iframe|<object|<embed|<img|\bhref=|\bsrc=/);
  });

  test('forbids every request and every script and style but its own, by digest', () => {
    const digests = ['style', 'script'].map((element) => {
      const [, text = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    });
    const [policy = ''] = attribute(page, 'content').filter((value) => value.startsWith('default-src'));
    expect(policy).toBe(
      `default-src 'none'; style-src ${digests[0] ?? ''}; script-src ${digests[1] ?? ''}; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/ style="/);
  });

  test('has one heading of the first rank, a caption for each table, and a name for each picture and region', () => {
    expect(page.match(/<h1\b/g)?.length).toBe(1);
    expect(page.match(/<table\b/g)?.length ?? 0).toBe(page.match(/<caption\b/g)?.length ?? 0);
    expect(page.match(/<section\b/g)?.length).toBe(page.match(/<section aria-labelledby=/g)?.length);
    expect(page.match(/role="region"/g)?.length).toBe(page.match(/role="region" aria-label=/g)?.length);
  });

  test('gives each id once and refers only to ids that are there', () => {
    const ids = attribute(page, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    const named = attribute(page, 'aria-labelledby').flatMap((value) => value.split(' '));
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

test('the script makes no markup and asks for nothing', () => {
  const page = renderHtml(SAMPLES.pass);
  const script = page.slice(page.lastIndexOf('<script>'));
  expect(script).not.toMatch(
    /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|fetch|XMLHttp|import\(/,
  );
});

test('a page of the largest run that can be is at most 500 KB', () => {
  expect(Buffer.byteLength(renderHtml(largest()))).toBeLessThan(500_000);
});

const largest = (): ReportModel => {
  const [first, second, main] = SAMPLES.fail.parts as readonly [PartReport, PartReport, PartReport];
  const topic = 'a-topic-with-a-long-name';
  const many = Array.from({ length: 200 }, (_, partition) => partition);
  const [finding] = main.findings;
  const [outage] = main.outages;
  if (finding === undefined || outage === undefined || main.load === undefined)
    throw new Error('the sample has all three');
  const bucket = { acked: 123_456, unknown: 789, failed: 12, p50Ms: 123.4, p99Ms: 2345.6 };
  return completed({
    ...SAMPLES.fail,
    parts: [
      first,
      second,
      {
        ...main,
        partitions: 200,
        findings: many.map((partition) => ({
          ...finding,
          topic,
          partition,
          examples: many
            .slice(0, 32)
            .map((seq) => ({ producer: 'p1', incarnation: 3, seq: seq * 3, offset: seq * 7, ackedAt: 2958 + seq })),
        })),
        availability: many.map((partition) => ({
          topic,
          partition,
          acked: 1,
          longestGapMs: 1,
          longestGapFrom: 1,
          outages: [],
        })),
        outages: many.map((partition) => ({ ...outage, topic, partition })),
        leaders: Array.from({ length: 500 }, (_, index) => ({
          at: index * 14,
          topic,
          partition: index % 200,
          leader: 1,
          epoch: index,
        })),
        load: { from: 0, bucketMs: 20, buckets: Array.from({ length: 400 }, () => bucket) },
      },
    ],
  });
};

// Red before: on a narrow page its letters were drawn seven pixels high.
test('the timeline is not squeezed below what can be read: a narrow page scrolls it', () => {
  const page = renderHtml(SAMPLES.pass);
  const least = Number(/\.figure svg \{[^}]*min-width: (\d+)px/u.exec(page)?.[1]);
  const width = Number(/<svg id="timeline" viewBox="0 0 (\d+) /u.exec(page)?.[1]);
  const letters = Number(/svg text \{ font: (\d+)px/u.exec(page)?.[1]);
  expect((letters * least) / width).toBeGreaterThanOrEqual(10);
});
