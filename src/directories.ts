// Makes directories that a person named. Level by level, because Node.js's own recursive way never returns where a file system
// answers "no such file" to a directory it will not make, as /proc does.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes `path` and whatever is missing above it; one that is there is fine. Throws the system's own error. */
export const makeDirectory = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each);
    } catch (thrown) {
      // Somebody else made it in between; a dangling link shows in the next level.
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
  }
};
