// One readable message for a value that fits none of several shapes. Zod lists what each shape would have wanted; a person
// wants to hear only about the shape that was meant, which is the one whose keys were used.
import type { z } from 'zod';

type BranchIssue = z.core.$ZodIssue;

const isAboutAnotherShape = (issue: BranchIssue, input: unknown): boolean => {
  if (issue.code === 'unrecognized_keys') return true;
  const wantsObject = issue.code === 'invalid_type' && issue.expected === 'object';
  return issue.path.length === 0 && wantsObject !== (typeof input === 'object');
};

/** An `error` function for `z.union`: what is wrong in the shape that was meant, else `otherwise`. */
export const unionMessage =
  (otherwise: string) =>
  (issue: z.core.$ZodRawIssue): string => {
    const branches = issue.code === 'invalid_union' ? (issue['errors'] as readonly (readonly BranchIssue[])[]) : [];
    const meant = branches.find(
      (branch) => branch.length > 0 && !branch.some((found) => isAboutAnotherShape(found, issue.input)),
    );
    const first = meant?.[0];
    if (first === undefined) return otherwise;
    const where = first.path.length === 0 ? '' : `${first.path.join('.')}: `;
    return `${where}${first.message} ${otherwise}`;
  };
