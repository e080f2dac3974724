// The registry holds what the vocabulary names, no more and no less, and each entry says what a person needs to know.
import { describe, expect, it } from 'vitest';
import { ANOMALIES, DEFECTS } from '../../vocabulary.ts';
import { defects } from './registry.ts';

describe('the registry of defects', () => {
  it('has exactly the names of the vocabulary, sorted', () => {
    expect(defects.map((defect) => defect.name)).toEqual([...DEFECTS].sort());
  });

  it.each(defects)('$name is described in sentences and declares known anomalies, none twice', (defect) => {
    expect(defect.summary).toMatch(/^[A-Z].*\.$/);
    expect(defect.bitesWhen).toMatch(/^[A-Z].*\.$/);
    expect(defect.weakens).toMatch(/^(append|fetch|takeover|upload): [a-z].*[^.]$/);
    for (const anomaly of defect.expected) expect(ANOMALIES).toContain(anomaly);
    expect(new Set(defect.expected).size).toBe(defect.expected.length);
  });
});
