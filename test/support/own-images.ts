// The images of docker-compose.yml where there is no registry: built here by `npm run images`, and named by variables.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const script = join(resolve(import.meta.dirname, '..', '..'), 'docker', 'images.sh');

/** Makes docker-compose.yml use images that are built here, unless the environment names others. */
export const useOwnImages = (): void => {
  const printed = execFileSync('bash', [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  for (const [, name = '', image = ''] of printed.matchAll(/^export (\w+)=(\S+)$/gmu)) process.env[name] ??= image;
};
