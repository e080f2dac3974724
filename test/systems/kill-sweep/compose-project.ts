// A compose project that is started without ackproof, as somebody else's would be, and everything of it that a fault may change:
// networks with aliases and addresses, pause state, limits, proxies, and how full the log volumes are.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { useOwnImages } from '../../support/own-images.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const READY_MS = 180_000;
/** Where docker-compose.yml publishes the control APIs, unless the environment says otherwise. */
const TOXIPROXY_PORTS = (
  [
    ['CLIENT', 11_474],
    ['INTERNAL', 11_475],
    ['CONTROLLER', 11_476],
  ] as const
).map(([path, usual]) => Number(process.env[`ACKPROOF_TOXIPROXY_${path}_PORT`] ?? usual));

const FORMS: readonly (readonly string[])[] = [['docker', 'compose'], ['docker-compose']];

/** The engine a project runs on, where that is not the usual one. */
export interface EnginePlace {
  readonly env: Readonly<Record<string, string>>;
  /** What puts a program into its network. */
  readonly within: readonly string[];
}

const USUAL: EnginePlace = { env: {}, within: [] };

const outputAt = ({ env, within }: EnginePlace, program: string, words: readonly string[]): string => {
  const [first = program, ...rest] = [...within, program, ...words];
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return execFileSync(first, rest, { encoding: 'utf8', stdio: [...stdio], env: { ...process.env, ...env } });
};

const composeForm = (place: EnginePlace): readonly string[] => {
  for (const form of FORMS) {
    try {
      const [program = '', ...words] = form;
      outputAt(place, program, [...words, 'version', '--short']);
      return form;
    } catch {
      // The other one, then.
    }
  }
  throw new Error('Neither `docker compose` nor `docker-compose` can be run.');
};

interface Inspected {
  readonly Name: string;
  readonly Id: string;
  readonly State: { readonly Running: boolean; readonly Paused: boolean };
  readonly HostConfig: Readonly<Record<string, number>>;
  readonly NetworkSettings: {
    readonly Networks: Readonly<
      Record<string, { readonly Aliases: readonly string[] | null } & Readonly<Record<string, unknown>>>
    >;
    readonly Ports: unknown;
  };
}

/** A limit that was taken away reads −1, one that never was 0. */
const limit = (value: number | undefined): number => Math.max(0, value ?? 0);

const containerOf = ({ Name, Id, State, HostConfig, NetworkSettings }: Inspected) => ({
  name: Name,
  isRunning: State.Running,
  isPaused: State.Paused,
  limits: {
    memory: HostConfig['Memory'],
    memorySwap: HostConfig['MemorySwap'],
    cpuQuota: limit(HostConfig['CpuQuota']),
    nanoCpus: limit(HostConfig['NanoCpus']),
  },
  ports: NetworkSettings.Ports,
  networks: Object.entries(NetworkSettings.Networks)
    .map(([network, each]) => ({
      network,
      aliases: (each.Aliases ?? []).filter((alias) => alias !== Id.slice(0, 12)).sort(),
      address: each['IPAddress'],
      macAddress: each['MacAddress'],
      fixed: JSON.stringify(each['IPAMConfig'] ?? {}),
    }))
    .sort((one, other) => one.network.localeCompare(other.network)),
});

export class ComposeProject implements AsyncDisposable {
  readonly name: string;
  readonly #form: readonly string[];
  readonly #place: EnginePlace;

  private constructor(name: string, form: readonly string[], place: EnginePlace) {
    this.name = name;
    this.#form = form;
    this.#place = place;
  }

  /** Returns once every container with a health check is healthy. */
  static async start(name: string, place: EnginePlace = USUAL): Promise<ComposeProject> {
    useOwnImages();
    const project = new ComposeProject(name, composeForm(place), place);
    project.#compose('up', '--detach');
    const until = Date.now() + READY_MS;
    const isReady = (): boolean =>
      project.#ids('status=running').every((id) => {
        const health = project.#output('docker', [
          'inspect',
          '--format',
          '{{if .State.Health}}{{.State.Health.Status}}{{end}}',
          id,
        ]);
        return ['', 'healthy'].includes(health.trim());
      });
    while (!isReady()) {
      if (Date.now() > until) throw new Error(`The project ${name} is not healthy after ${READY_MS} ms.`);
      await delay(1000);
    }
    return project;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve(this.#compose('down', '--volumes', '--remove-orphans', '--timeout', '3'));
  }

  /** Everything that a fault may change and must put back. */
  snapshot(): unknown {
    return {
      containers: this.containers(),
      proxies: TOXIPROXY_PORTS.map((port) => JSON.parse(this.#proxiesAt(port)) as unknown),
      helpers: this.#helpers(),
      files: this.#ids('name=broker').map((id) => this.#fillsIn(id)),
      locks: this.#output('docker', ['volume', 'ls', '-q', '--filter', `label=ackproof.lock=${this.name}`]),
    };
  }

  /** What a fault may change of its containers. */
  containers(): readonly ReturnType<typeof containerOf>[] {
    const inspected = JSON.parse(this.#output('docker', ['inspect', ...this.#ids()])) as readonly Inspected[];
    return inspected.map(containerOf).sort((one, other) => one.name.localeCompare(other.name));
  }

  /** The container of a service, by its label. */
  idOf(service: string): string {
    const [id] = this.#ids(`label=com.docker.compose.service=${service}`);
    if (id === undefined) throw new Error(`The project ${this.name} has no container of ${service}.`);
    return id;
  }

  /** Containers of a run of the sweep, such as helpers: those of this project were started for none. */
  #helpers(): readonly string[] {
    const format = '{{.Label "ackproof.run"}} {{.Names}}';
    const listed = this.#output('docker', ['ps', '-a', '--filter', 'label=ackproof.run', '--format', format]);
    return listed.split('\n').filter((line) => /^\S*kill-sweep/u.test(line));
  }

  #proxiesAt(port: number): string {
    return this.#output('curl', ['-sS', '--max-time', '10', `http://127.0.0.1:${port}/proxies`]);
  }

  #fillsIn(id: string): string {
    return this.#output('docker', ['exec', id, 'sh', '-c', 'ls -A /var/lib/kafka/data | grep ackproof || true']);
  }

  #ids(filter?: string): readonly string[] {
    const filters = [`label=com.docker.compose.project=${this.name}`, ...(filter === undefined ? [] : [filter])];
    return this.#output('docker', ['ps', '-aq', '--no-trunc', ...filters.flatMap((each) => ['--filter', each])])
      .split('\n')
      .filter(Boolean)
      .sort();
  }

  #compose(...words: readonly string[]): void {
    const [program = '', ...form] = this.#form;
    this.#output(program, [...form, '-p', this.name, '-f', join(root, 'docker-compose.yml'), ...words]);
  }

  #output(program: string, words: readonly string[]): string {
    return outputAt(this.#place, program, words);
  }
}
