// The configuration of a broker, one JSON object on its command line.
import { InputError, suggestName } from '../../errors.ts';
import { DEFECTS, type DefectName, WAL_KINDS, type WalKind } from '../../vocabulary.ts';
import type { Endpoint } from '../cluster-view.ts';
import { endpointIn, integerIn, type JsonObject, objectOf, textIn, textsIn } from '../read-json.ts';

export interface ClientListener extends Endpoint {
  /** What clients are told; a link proxy where there is one. Port 0: the port this listener got. */
  readonly advertisedHost: string;
  readonly advertisedPort: number;
}

export interface StorePaths {
  readonly meta: Endpoint;
  /** An object store or the volume process, as its kind says. */
  readonly wal: Endpoint;
  readonly walKind: WalKind;
  readonly data: Endpoint;
  readonly bucket: string;
}

export interface BrokerConfig {
  readonly clusterId: string;
  readonly brokerId: number;
  /** Where clients come in. */
  readonly client: ClientListener;
  /** The unadvertised listener for evidence; its metadata names direct addresses only. */
  readonly direct: Endpoint;
  /** The harness's own calls: /stats, /flush, /drop-cache. */
  readonly admin: Endpoint;
  /** The controller, or the link proxy before it. */
  readonly controller: Endpoint;
  readonly stores: StorePaths;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
  readonly uploadIntervalMs: number;
  /** Deadline of one call to a store. */
  readonly storeTimeoutMs: number;
  /** How long a graceful stop waits for uploads. */
  readonly stopGraceMs: number;
  /** How long the first member of a consumer group waits for others. */
  readonly groupInitialDelayMs: number;
  /** How long a start waits for the controller. */
  readonly startTimeoutMs: number;
  readonly defects: readonly DefectName[];
}

const defectsIn = (value: unknown): readonly DefectName[] =>
  textsIn(value, 'defects').map((name) => {
    const known = DEFECTS.find((defect) => defect === name);
    if (known !== undefined) return known;
    throw new InputError('BROKER_UNKNOWN_DEFECT', `There is no defect "${name}".`, {
      hint: suggestName(name, DEFECTS),
    });
  });

/** Objects where nothing is said. */
const walKindIn = (stores: JsonObject): WalKind => {
  const written = stores['walKind'] === undefined ? 's3' : textIn(stores, 'walKind');
  const known = WAL_KINDS.find((kind) => kind === written);
  if (known !== undefined) return known;
  throw new InputError('BROKER_UNKNOWN_WAL', `There is no write-ahead log of kind "${written}".`, {
    hint: suggestName(written, WAL_KINDS),
  });
};

const clientIn = (value: unknown): ClientListener => {
  const listener = endpointIn(value, 'client');
  const client = objectOf(objectOf(value)['client'], 'client');
  const advertisedHost = client['advertisedHost'] === undefined ? listener.host : textIn(client, 'advertisedHost');
  return { ...listener, advertisedHost, advertisedPort: integerIn(client, 'advertisedPort', 0) };
};

/** Throws an InputError that names the wrong field. */
export const readBrokerConfig = (value: unknown): BrokerConfig => {
  const stores = objectOf(objectOf(value)['stores'], 'stores');
  const direct = endpointIn(value, 'direct');
  return {
    clusterId: textIn(value, 'clusterId'),
    brokerId: integerIn(value, 'brokerId'),
    client: clientIn(value),
    direct,
    admin: objectOf(value)['admin'] === undefined ? { host: direct.host, port: 0 } : endpointIn(value, 'admin'),
    controller: endpointIn(value, 'controller'),
    stores: {
      meta: endpointIn(stores, 'meta'),
      wal: endpointIn(stores, 'wal'),
      walKind: walKindIn(stores),
      data: endpointIn(stores, 'data'),
      bucket: textIn(stores, 'bucket'),
    },
    heartbeatMs: integerIn(value, 'heartbeatMs', 150),
    sessionTimeoutMs: integerIn(value, 'sessionTimeoutMs', 1000),
    uploadIntervalMs: integerIn(value, 'uploadIntervalMs', 1000),
    storeTimeoutMs: integerIn(value, 'storeTimeoutMs', 2000),
    stopGraceMs: integerIn(value, 'stopGraceMs', 1000),
    groupInitialDelayMs: integerIn(value, 'groupInitialDelayMs', 150),
    startTimeoutMs: integerIn(value, 'startTimeoutMs', 20_000),
    defects: defectsIn(value),
  };
};
