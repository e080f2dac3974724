// The numbers of parts: 1 to 10,000, as on S3.
import { S3Error } from './s3-error.ts';

export const MOST_PARTS = 10_000;

/** Throws InvalidArgument. */
export const partNumberOf = (text: string | null): number => {
  const number = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  if (number < 1 || number > MOST_PARTS) {
    throw new S3Error('InvalidArgument', `A part number is a whole number from 1 to ${MOST_PARTS}.`);
  }
  return number;
};
