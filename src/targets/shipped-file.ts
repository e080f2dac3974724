// Where the files are that ackproof brings along: at the top of the package, of which this file is two folders below when it runs
// from source, and three when it is built.
import { fileURLToPath } from 'node:url';

const TOP = import.meta.url.endsWith('.ts') ? '../../' : '../../../';

/** The absolute path of `file`, a path below the top of the package. */
export const shippedFile = (file: string): string => fileURLToPath(new URL(`${TOP}${file}`, import.meta.url));
