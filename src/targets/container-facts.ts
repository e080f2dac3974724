// What the engine's answer about a container means to us, in our own words. Pure; the recorded answers of several engines are
// in the test beside it.
import { wallOfIsoTime } from '../clock.ts';
import type { ContainerLimits, NetworkEndpoint } from './container-control.ts';
import { endpointOf, type RawEndpoint } from './container-endpoints.ts';
import { limitsOf, type RawLimits } from './container-limits.ts';

export type ContainerPhase = 'created' | 'running' | 'paused' | 'restarting' | 'exited' | 'dead';

/** A container's place in one network. */
export interface ContainerNetwork {
  readonly name: string;
  readonly id: string;
  /** Empty while the container does not run. */
  readonly address: string;
  /** Names it answers to in that network. */
  readonly aliases: readonly string[];
}

/** Where a volume is in the container. */
export interface ContainerMount {
  readonly directory: string;
  /** Empty where it is no volume but a directory of the host, or of memory. */
  readonly volume: string;
}

/** A port of the container that the host listens for. */
export interface PublishedPort {
  readonly containerPort: number;
  readonly host: string;
  readonly port: number;
  /** On every address of this machine, `host` being one of them. */
  readonly everywhere?: true;
}

export interface ContainerFacts {
  readonly id: string;
  /** For people; nothing is ever found by it. */
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly status: ContainerPhase;
  /** 0 while nothing runs. */
  readonly pid: number;
  /** Wall-clock milliseconds of the last start. */
  readonly startedAtMs: number;
  readonly exitCode: number;
  /** `starting`, `healthy`, `unhealthy`; absent without a health check. */
  readonly health?: string;
  readonly networks: readonly ContainerNetwork[];
  readonly published: readonly PublishedPort[];
  readonly limits: ContainerLimits;
  readonly endpoints: readonly NetworkEndpoint[];
  readonly mounts: readonly ContainerMount[];
}

interface RawNetwork extends RawEndpoint {
  /** Engines from API 1.45 on name what a container answers to here. */
  readonly DNSNames?: readonly string[] | null;
}

interface RawMount {
  readonly Type?: string | undefined;
  readonly Name?: string | undefined;
  readonly Destination?: string | undefined;
}

interface RawPort {
  readonly HostIp?: string;
  readonly HostPort?: string;
}

/** The fields that are read of `GET /containers/{id}/json`. */
export interface RawContainer {
  readonly Id: string;
  readonly Name: string;
  readonly Image: string;
  readonly Config: {
    readonly Image?: string;
    readonly Env?: readonly string[] | null;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  readonly State: {
    readonly Status?: string;
    readonly Running?: boolean;
    readonly Paused?: boolean;
    readonly Restarting?: boolean;
    readonly Pid?: number;
    readonly ExitCode?: number;
    readonly StartedAt?: string;
    readonly Health?: { readonly Status?: string } | null | undefined;
  };
  readonly HostConfig?: RawLimits;
  readonly Mounts?: readonly RawMount[] | null;
  readonly NetworkSettings?: {
    readonly Networks?: Readonly<Record<string, RawNetwork>> | null;
    readonly Ports?: Readonly<Record<string, readonly RawPort[] | null>> | null;
  };
}

const statusOf = ({ Status, Running, Paused, Restarting }: RawContainer['State']): ContainerPhase => {
  // A paused container also counts as running for the engine.
  if (Paused === true) return 'paused';
  if (Restarting === true) return 'restarting';
  if (Running === true) return 'running';
  return Status === 'created' || Status === 'dead' ? Status : 'exited';
};

const environmentOf = (lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );

const networksOf = (networks: Readonly<Record<string, RawNetwork>>): readonly ContainerNetwork[] =>
  Object.entries(networks).map(([name, network]) => ({
    name,
    id: network.NetworkID ?? '',
    address: network.IPAddress ?? '',
    aliases: [...new Set([...(network.Aliases ?? []), ...(network.DNSNames ?? [])])],
  }));

/** How every address is written where somebody listens, or a port is published. */
export const isWildcard = (host: string): boolean => host === '' || host === '0.0.0.0' || host === '::';

/** An engine with IPv6 tells a port that is published on every address twice, once for each family: it is one. */
const publishedOf = (ports: Readonly<Record<string, readonly RawPort[] | null>>): readonly PublishedPort[] => {
  const published = Object.entries(ports).flatMap(([written, places]): PublishedPort[] =>
    written.endsWith('/tcp')
      ? (places ?? []).map(({ HostIp = '', HostPort }) => ({
          containerPort: Number.parseInt(written, 10),
          port: Number(HostPort ?? 0),
          ...(isWildcard(HostIp) ? { host: '127.0.0.1', everywhere: true } : { host: HostIp }),
        }))
      : [],
  );
  const key = ({ containerPort, host, port }: PublishedPort): string => `${containerPort} ${host} ${port}`;
  return [...new Map(published.map((each) => [key(each), each])).values()];
};

/** 0 for the engine's "never", which is a time of the year 1. */
const startedAt = (written: string | undefined): number => Math.max(0, wallOfIsoTime(written ?? '') ?? 0);

type Life = Pick<ContainerFacts, 'status' | 'pid' | 'startedAtMs' | 'exitCode' | 'health'>;

const lifeOf = (state: RawContainer['State']): Life => {
  const health = state.Health?.Status;
  return {
    status: statusOf(state),
    pid: state.Pid ?? 0,
    startedAtMs: startedAt(state.StartedAt),
    exitCode: state.ExitCode ?? 0,
    ...(health !== undefined && health !== 'none' && { health }),
  };
};

const mountsOf = (mounts: readonly RawMount[]): readonly ContainerMount[] =>
  mounts.map(({ Type, Name = '', Destination = '' }) => ({
    directory: Destination,
    volume: Type === 'volume' ? Name : '',
  }));

const placesOf = ({ Id, State, Mounts, NetworkSettings, HostConfig }: RawContainer) => {
  const { Networks, Ports } = NetworkSettings ?? {};
  return {
    networks: networksOf(Networks ?? {}),
    published: publishedOf(Ports ?? {}),
    limits: limitsOf(HostConfig ?? {}),
    endpoints: Object.entries(Networks ?? {}).map(([name, raw]) =>
      endpointOf(name, raw, Id, startedAt(State.StartedAt)),
    ),
    mounts: mountsOf(Mounts ?? []),
  };
};

/** The engine's answer about a container, read. */
export const containerFacts = (raw: RawContainer): ContainerFacts => {
  const { Id, Name, Image, Config, State } = raw;
  return {
    id: Id,
    name: Name.replace(/^\//u, ''),
    image: Config.Image ?? Image,
    imageId: Image,
    labels: Config.Labels ?? {},
    environment: environmentOf(Config.Env ?? []),
    ...lifeOf(State),
    ...placesOf(raw),
  };
};

/** Whether it runs, frozen or not: only then it has processes, and a network. */
export const hasProcess = ({ status }: ContainerFacts): boolean => status === 'running' || status === 'paused';
