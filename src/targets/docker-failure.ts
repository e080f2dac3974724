// What a failed call of the Docker engine means and what to do about it. Branches on codes and status numbers only: the texts
// differ between engines and versions.
import { AckproofError, EnvironmentError } from '../errors.ts';

interface EngineRefusal {
  readonly statusCode?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly json?: { readonly message?: string } | null;
  readonly message?: string;
}

const UNREACHABLE: Readonly<Record<string, readonly [code: string, what: string, hint: string]>> = {
  ENOENT: [
    'DOCKER_NOT_FOUND',
    'there is no such socket',
    'Install and start Docker, or name its engine in DOCKER_HOST.',
  ],
  ENOTFOUND: ['DOCKER_NOT_FOUND', 'there is no such host', 'Correct DOCKER_HOST or the Docker context.'],
  ECONNREFUSED: ['DOCKER_NOT_RUNNING', 'nobody listens there', 'Start the Docker engine and try again.'],
  EACCES: [
    'DOCKER_NO_PERMISSION',
    'this user may not open it',
    'Add the user to the group of the socket (usually docker), or run as one who may.',
  ],
  EPERM: ['DOCKER_NO_PERMISSION', 'this user may not open it', 'Run as a user who may open the socket.'],
  ECONNRESET: ['DOCKER_GONE', 'it ended the connection', 'See whether the Docker engine was restarted.'],
  EPIPE: ['DOCKER_GONE', 'it ended the connection', 'See whether the Docker engine was restarted.'],
};

const isRefusal = (thrown: unknown): thrown is EngineRefusal => typeof thrown === 'object' && thrown !== null;

const refusalCode = (status: number): readonly [string, string] => {
  if (status === 401 || status === 403) {
    return ['DOCKER_FORBIDDEN', 'Look at what the engine, or a proxy in front of it, allows this user.'];
  }
  if (status === 404) return ['DOCKER_NOT_THERE', 'It was removed or recreated: bring the project up again.'];
  // 304: it was as ordered already.
  if (status === 409 || status === 304)
    return ['DOCKER_CONFLICT', 'Something else changed it meanwhile; see `docker ps -a`.'];
  return ['DOCKER_REFUSED', 'See the log of the Docker engine.'];
};

/** The error for a person: `what` was asked of the engine at `endpoint`. */
export const dockerFailure = (endpoint: string, what: string, thrown: unknown): Error => {
  if (thrown instanceof AckproofError) return thrown;
  const { code = '', statusCode, json, reason, message } = isRefusal(thrown) ? thrown : {};
  const unreachable = UNREACHABLE[code];
  if (unreachable !== undefined) {
    const [name, why, hint] = unreachable;
    return new EnvironmentError(name, `The Docker engine at ${endpoint} cannot be reached: ${why}.`, {
      hint,
      cause: thrown,
    });
  }
  if (statusCode === undefined) {
    return new EnvironmentError('DOCKER_FAILED', `The Docker engine at ${endpoint} could not ${what}.`, {
      cause: thrown,
      hint: 'Look at the engine’s own log for why, and try the same with the docker command.',
    });
  }
  const [name, hint] = refusalCode(statusCode);
  const said = json?.message ?? reason ?? message ?? 'no reason';
  return new EnvironmentError(name, `The Docker engine answered ${statusCode} when asked to ${what}: ${said.trim()}`, {
    hint,
  });
};

/** Whether the engine knows no such thing. */
export const isNotThere = (thrown: unknown): boolean =>
  thrown instanceof EnvironmentError && thrown.code === 'DOCKER_NOT_THERE';

/** Whether the thing is not in a state for what was asked; only a look at it says which it is. */
export const isConflict = (thrown: unknown): boolean =>
  thrown instanceof EnvironmentError && thrown.code === 'DOCKER_CONFLICT';

/** Whether it may be so already: an engine forbids to enter a network twice in the same words as it forbids anything else. */
export const isAlreadySo = (thrown: unknown): boolean =>
  thrown instanceof EnvironmentError && (thrown.code === 'DOCKER_FORBIDDEN' || thrown.code === 'DOCKER_CONFLICT');
