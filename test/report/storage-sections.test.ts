// What the reports say of the object store, on a sample that has all of it: gates with their cells, requests, and costs.
import { describe, expect, test } from 'vitest';
import { boundariesOf, ungatedOf } from '../../src/report/boundaries.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import type { PartReport, ReportModel } from '../../src/report/model.ts';
import { reportSchema } from './report-schema.ts';
import { SAMPLES } from './sample-models.ts';

const HOSTILE = '</td><img src=x onerror=alert(1)>|`x`';

const seen = (text: string): Pick<PartReport, 'gates' | 'usage'> => ({
  gates: [
    {
      gate: 'storage',
      state: 'fail',
      because: `1 object missing, first ${text}`,
      cells: [
        { item: 'write-ahead log', state: 'not collected', detail: text },
        { item: 'inventory before, during and after', state: 'observed', detail: '8 objects' },
        { item: 'objects that the index names and that are missing', state: 'observed', detail: text },
      ],
    },
    { gate: 'cost', state: 'pass', because: 'counted', cells: [] },
  ],
  usage: {
    requests: [
      {
        stage: 'load',
        path: 'data',
        operation: text,
        status: 200,
        requests: 1200,
        requestBytes: 2048,
        responseBytes: 0,
      },
    ],
    keptBytes: 4096,
    grownBytes: -1024,
    cost: {
      currency: 'EUR',
      lines: [{ what: text, amount: '1,200 requests', price: '0.005 EUR per 1,000', per: 'run', cost: 0.006 }],
      total: 0.006,
      unpriced: ['HeadObject'],
    },
  },
});

const withStorage = (text: string): ReportModel => ({
  ...SAMPLES.pass,
  parts: SAMPLES.pass.parts.map((part, index, all) => (index === all.length - 1 ? { ...part, ...seen(text) } : part)),
});

const model = withStorage('data/x');

describe('the object store in a report', () => {
  test('is told gate by gate, cell by cell, with what it was asked and what that cost', () => {
    const text = renderMarkdown(model);
    expect(text).toContain('- storage: fail: 1 object missing, first data/x');
    expect(text).toContain('| storage | write-ahead log | not collected | data/x |');
    expect(text).toContain('| data/x 200 on data, load | 1,200 | 2.0 KiB | 0 B |');
    expect(text).toContain('- 4.0 KiB kept after the replay, −1.0 KiB in this part');
    expect(text).toContain('- this part: 0.006 EUR, by the prices of the reader; without a price: HeadObject');
    const page = renderHtml(model);
    for (const words of ['The object store', 'What each gate looks at', '4.0 KiB kept', '0.006 EUR']) {
      expect(page).toContain(words);
    }
    expect(reportSchema.safeParse(JSON.parse(renderJson(model))).error).toBeUndefined();
  });

  test('is nowhere where nobody looked at one', () => {
    expect(renderMarkdown(SAMPLES.pass)).not.toContain('Gates on storage');
    expect(renderHtml(SAMPLES.pass)).not.toContain('id="storage"');
  });

  test('stands at its boundary with what was looked at, and a gate that did not pass is left open', () => {
    const boundary = boundariesOf(model).find((each) => each.boundary === 'Object storage');
    expect(boundary?.sources.map(({ source, state }) => [source, state])).toEqual(
      expect.arrayContaining([
        ['inventory before, during and after', 'observed'],
        ['objects that the index names and that are missing', 'observed'],
      ]),
    );
    expect(ungatedOf(model).filter((text) => text.includes('storage'))).toEqual([
      'The storage gate failed: 1 object missing, first data/x.',
    ]);
  });

  test('is foreign text, which acts in no format', () => {
    const hostile = withStorage(HOSTILE);
    expect(renderHtml(hostile)).not.toContain('<img');
    expect(renderMarkdown(hostile)).not.toContain('<img');
  });
});
