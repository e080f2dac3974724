// The configuration of a controller, one JSON object on its command line.
import type { Endpoint } from '../cluster-view.ts';
import { endpointIn, integerIn, textIn } from '../read-json.ts';

export interface ControllerConfig {
  readonly clusterId: string;
  readonly controllerId: number;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** The object store that holds the controller's state. */
  readonly store: Endpoint;
  readonly bucket: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly expectedBrokers: number;
  readonly gatherMs: number;
  /** How long a start waits for the store. */
  readonly startTimeoutMs: number;
}

/** Throws an InputError that names the wrong field. */
export const readControllerConfig = (value: unknown): ControllerConfig => ({
  clusterId: textIn(value, 'clusterId'),
  controllerId: integerIn(value, 'controllerId'),
  host: textIn(value, 'host'),
  port: integerIn(value, 'port', 0),
  store: endpointIn(value, 'store'),
  bucket: textIn(value, 'bucket'),
  sessionTimeoutMs: integerIn(value, 'sessionTimeoutMs', 1000),
  heartbeatMs: integerIn(value, 'heartbeatMs', 150),
  expectedBrokers: integerIn(value, 'expectedBrokers', 1),
  gatherMs: integerIn(value, 'gatherMs', 400),
  startTimeoutMs: integerIn(value, 'startTimeoutMs', 20_000),
});
