// Where the Docker engine is, by the rules of Docker's own command: DOCKER_HOST, else the context named by DOCKER_CONTEXT, else
// the current context of its configuration, else the default socket. dockerode knows nothing of contexts. A context that is
// named and not there is an error, never a fallback: the next best engine would be the wrong one.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { environmentVariable } from '../environment.ts';
import { EnvironmentError, InputError } from '../errors.ts';

const DEFAULT_ENDPOINT = 'unix:///var/run/docker.sock';

/** Certificates of an endpoint that speaks TLS, by their files. */
export interface DockerCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface DockerEndpoint {
  /** `unix:///var/run/docker.sock`, `tcp://host:2376`. */
  readonly url: string;
  /** Why this one, for people: `DOCKER_HOST`, `the context "colima"`. */
  readonly because: string;
  readonly certificates?: DockerCertificates;
}

export type ReadVariable = (name: string) => string | undefined;

const readCertificate = (file: string, because: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new EnvironmentError(
      'DOCKER_CERTIFICATE',
      `The Docker engine of ${because} needs ${file}, which cannot be read.`,
      {
        hint: 'Put ca.pem, cert.pem and key.pem where Docker looks for them, or use another endpoint.',
        cause,
      },
    );
  }
};

const certificatesIn = (directory: string): DockerCertificates => ({
  ca: join(directory, 'ca.pem'),
  cert: join(directory, 'cert.pem'),
  key: join(directory, 'key.pem'),
});

const readJson = (file: string): Readonly<Record<string, unknown>> | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new EnvironmentError('DOCKER_CONFIG', `${file} is no JSON, so the Docker context in use is not known.`, {
      cause,
      hint: 'Mend that file, or name the engine in DOCKER_HOST.',
    });
  }
};

/** A context's endpoint as `docker context` stores it, below a directory named after the digest of its name. */
const ofContext = (name: string, from: string, directory: string): DockerEndpoint => {
  const digest = createHash('sha256').update(name).digest('hex');
  const meta = readJson(join(directory, 'contexts', 'meta', digest, 'meta.json')) as
    | { readonly Endpoints?: { readonly docker?: { readonly Host?: string } } }
    | undefined;
  const url = meta?.Endpoints?.docker?.Host;
  if (url === undefined || url === '') {
    throw new EnvironmentError('DOCKER_NO_SUCH_CONTEXT', `The Docker context "${name}" (${from}) is not there.`, {
      hint: 'See `docker context ls`, or name the engine in DOCKER_HOST.',
    });
  }
  const tls = join(directory, 'contexts', 'tls', digest, 'docker');
  return {
    url,
    because: `the context "${name}" (${from})`,
    ...(existsSync(tls) && { certificates: certificatesIn(tls) }),
  };
};

/** The endpoint that Docker's own command would use. */
export const dockerEndpoint = (variable: ReadVariable = environmentVariable): DockerEndpoint => {
  const directory = variable('DOCKER_CONFIG') ?? join(homedir(), '.docker');
  const host = variable('DOCKER_HOST');
  if (host !== undefined) {
    const certificates = certificatesIn(variable('DOCKER_CERT_PATH') ?? directory);
    return { url: host, because: 'DOCKER_HOST', ...(variable('DOCKER_TLS_VERIFY') !== undefined && { certificates }) };
  }
  const named = variable('DOCKER_CONTEXT');
  const current = readJson(join(directory, 'config.json'))?.['currentContext'];
  const context = named ?? (typeof current === 'string' && current !== '' ? current : 'default');
  if (context === 'default') return { url: DEFAULT_ENDPOINT, because: 'the default socket' };
  return ofContext(context, named === undefined ? 'the current one' : 'DOCKER_CONTEXT', directory);
};

/** How a client is told to connect; what is not named must not be taken from anywhere else. */
export interface DockerConnection {
  readonly socketPath: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly protocol: 'http' | 'https';
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

const NOTHING = {
  socketPath: undefined,
  host: undefined,
  port: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
};

/** @throws InputError for a kind of endpoint that is not spoken. */
export const connectionOf = ({ url, because, certificates }: DockerEndpoint): DockerConnection => {
  if (url.startsWith('unix://')) {
    return { ...NOTHING, protocol: 'http', socketPath: url.slice('unix://'.length) };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['tcp:', 'http:', 'https:'].includes(parsed.protocol)) {
    throw new InputError('DOCKER_ENDPOINT', `The Docker endpoint ${url} (${because}) is not one that can be used.`, {
      hint: 'Use unix:///path/to/docker.sock or tcp://host:port; reach an engine over SSH by forwarding its socket.',
    });
  }
  const isSecure = certificates !== undefined || parsed.protocol === 'https:';
  const host = parsed.hostname.replace(/^\[(.*)\]$/u, '$1');
  const address = { ...NOTHING, host, port: Number(parsed.port || (isSecure ? '2376' : '2375')) };
  if (!isSecure) return { ...address, protocol: 'http' };
  if (certificates === undefined) return { ...address, protocol: 'https' };
  const { ca, cert, key } = certificates;
  const read = (file: string): Buffer => readCertificate(file, because);
  return { ...address, protocol: 'https', ca: read(ca), cert: read(cert), key: read(key) };
};
