// What every step of a run shares: the scenario, the started target, the clock, and where to tell what happens.
import type { ClientDefinition } from '../clients/client.ts';
import type { Clock } from '../clock.ts';
import type { WatchdogPing } from '../faults/watchdog.ts';
import { APACHE_KAFKA_PROFILE, CAUTIOUS_PROFILE, type OutcomeProfile } from '../outcomes.ts';
import type { MetricsSource } from '../targets/spec-fields.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { ClusterEye } from './cluster-eye.ts';
import type { Interruption } from './interruption.ts';
import type { RunListener } from './progress.ts';
import type { RunPlace } from './run-directory.ts';
import type { Scenario } from './scenario.ts';
import type { SizeWatch } from './size-limit.ts';

export interface RunContext {
  readonly scenario: Scenario;
  readonly place: RunPlace;
  readonly target: StartedTarget;
  /** What is scraped while a part goes on. */
  readonly metrics: readonly MetricsSource[];
  /** Produces the load. */
  readonly client: ClientDefinition;
  /** Reads the passes; another implementation than `client` where there is one. */
  readonly reader: ClientDefinition;
  /** Our own client: sentinels and probes. */
  readonly wire: ClientDefinition;
  /** Every reader there is: suspects are read again by all of them. */
  readonly secondReaders: readonly ClientDefinition[];
  readonly eye: ClusterEye;
  /** By which the target was locked, where others use it, too, and it tells one. */
  readonly clusterId?: string | undefined;
  readonly seed: number;
  readonly clock: Clock;
  readonly watchdog: WatchdogPing;
  readonly interruption: Interruption;
  readonly listener: RunListener;
  /** For each replay pass. */
  readonly passDeadlineMs: number;
  /** Whether the topic of the fault run stays where it is. */
  readonly keep: boolean;
  /** Of the whole run directory. */
  readonly size: SizeWatch;
}

/** What the target's answers prove about a write, by the name of its profile. */
export const outcomeProfileOf = (profile: string): OutcomeProfile =>
  profile === 'apache-kafka' ? APACHE_KAFKA_PROFILE : CAUTIOUS_PROFILE;
