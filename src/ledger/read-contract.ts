// contract.json of a run directory: the header line that everything else is judged by. The ledger's own header states the
// checksum of the contract it was recorded under, so a contract that was changed since is refused, never judged by.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../checksum.ts';
import { InputError } from '../errors.ts';
import { parseHeaderLine } from './header-line.ts';
import type { HistoryLine } from './history-lines.ts';
import { MalformedLine } from './line-fields.ts';

export const CONTRACT_FILE = 'contract.json';

export interface RunContract {
  readonly path: string;
  readonly header: HistoryLine;
  /** CRC32C of the file. */
  readonly checksum: number;
}

const notARun = (directory: string, why: string, cause?: unknown): InputError =>
  new InputError('NOT_A_RUN', `${directory} is not a run directory: ${why}.`, {
    hint: `Give a directory that holds ${CONTRACT_FILE}, ledger/ and replay/, or a text history.`,
    ...(cause === undefined ? {} : { cause }),
  });

/** In a run directory the contract may name the delivery timeout with its unit. */
const withTextTimeout = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('contract' in value)) return value;
  const { contract } = value;
  if (typeof contract !== 'object' || contract === null || !('deliveryTimeoutMs' in contract)) return value;
  const { deliveryTimeoutMs, ...rest } = contract;
  return { ...value, contract: { ...rest, deliveryTimeout: deliveryTimeoutMs } };
};

/** Reads contract.json, which holds the history line. Throws InputError. */
export const readContract = (directory: string): RunContract => {
  const path = join(directory, CONTRACT_FILE);
  if (!existsSync(path)) throw notARun(directory, `it has no ${CONTRACT_FILE}`);
  const bytes = readFileSync(path);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw notARun(directory, `its ${CONTRACT_FILE} is not JSON`, cause);
  }
  try {
    return { path, header: parseHeaderLine(withTextTimeout(value)), checksum: crc32c(bytes) };
  } catch (thrown) {
    if (!(thrown instanceof MalformedLine)) throw thrown;
    throw new InputError('BAD_CONTRACT', thrown.message, {
      place: { file: path },
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
    });
  }
};

/** `stated`: what a ledger says of its contract; absent where it says nothing. Throws InputError. */
export const assertSameContract = ({ path, checksum }: RunContract, stated: number | undefined): void => {
  if (stated === undefined || stated === checksum) return;
  throw new InputError('CONTRACT_CHANGED', 'This is not the contract that the run was recorded under.', {
    place: { file: path },
    hint: 'Take the file from where the run directory came from; a run is judged by the contract it ran under.',
  });
};
