// The whole suite, as tests of one S3 server. What a server lacks is told as left out, never passed over in silence.
import { describe, test } from 'vitest';
import { copyCases } from './copy-cases.ts';
import { type Feature, runCase, type S3Case, type S3Endpoint } from './endpoint.ts';
import { listCases } from './list-cases.ts';
import { multipartCases } from './multipart-cases.ts';
import { objectCases } from './object-cases.ts';
import { conditionCases, rangeCases } from './read-cases.ts';
import { wireCases } from './wire-cases.ts';

/** By what they are about; for whoever runs the same cases twice, direct and through a proxy. */
export const S3_CASES: Readonly<Record<string, readonly S3Case[]>> = {
  objects: objectCases,
  ranges: rangeCases,
  conditions: conditionCases,
  listing: listCases,
  multipart: multipartCases,
  copies: copyCases,
  'on the wire': wireCases,
};

/** `endpointOf` is asked when the tests run; `lacks` stands beside it because what is left out is known before. */
export const describeConformance = (
  server: string,
  endpointOf: () => S3Endpoint,
  lacks: readonly Feature[] = [],
): void => {
  describe(`${server} as an S3 server`, () => {
    for (const [subject, cases] of Object.entries(S3_CASES)) {
      describe(subject, () => {
        for (const each of cases) {
          const isLacking = each.needs !== undefined && lacks.includes(each.needs);
          if (isLacking) process.stderr.write(`LEFT OUT: "${each.title}", because ${server} lacks ${each.needs}.\n`);
          test.skipIf(isLacking)(each.title, async () => await runCase(endpointOf(), each));
        }
      });
    }
  });
};
