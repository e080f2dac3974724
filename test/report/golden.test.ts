// Four kinds of ending in every format, as files to be read. A change of a report is a change of these files, seen in review.
import { describe, expect, test } from 'vitest';
import { REPORT_REGISTRY } from '../../src/report/registry.ts';
import { BROKEN, SAMPLES } from './sample-models.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  html: 'html',
  json: 'json',
  junit: 'xml',
  markdown: 'md',
  terminal: 'txt',
};

describe.each(Object.entries(SAMPLES))('the report of a run that ends as %s', (name, model) => {
  test.each(REPORT_REGISTRY)('reads as kept in $kind', async ({ kind, render }) => {
    await expect(render(model, {})).toMatchFileSnapshot(`golden/${name}.${EXTENSIONS[kind] ?? kind}`);
  });

  test.each(REPORT_REGISTRY)(
    'is the same whenever it is rendered in $kind, and leaves the model alone',
    ({ render }) => {
      const before = structuredClone(model);
      expect(render(model, {})).toBe(render(model, {}));
      expect(model).toEqual(before);
    },
  );
});

test.each(REPORT_REGISTRY)('a run that broke before it had a part has a report in $kind', async ({ kind, render }) => {
  await expect(render(BROKEN, {})).toMatchFileSnapshot(`golden/broken.${EXTENSIONS[kind] ?? kind}`);
});
