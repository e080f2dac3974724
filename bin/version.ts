// The version from package.json, wherever this file was built to or installed.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Nearest package.json above this file that is ackproof's own. */
const packageFile = (): { readonly version: string } => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name?: string;
        version: string;
      };
      if (found.name === 'ackproof') return found;
    } catch {
      // Not in this folder: look one higher.
    }
    const parent = dirname(folder);
    if (parent === folder) return { version: 'unknown' };
    folder = parent;
  }
};

export const version = (): string => packageFile().version;
