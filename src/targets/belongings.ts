// What of a target goes with its run, known before the target is started: whoever cleans up after a dead run knows nothing else.
import { dockerEndpoint } from './docker-endpoint.ts';
import { embeddedDirectory } from './embedded-layout.ts';
import { kafkaDirectory } from './kafka-layout.ts';
import type { TargetSpec } from './target-spec.ts';

export interface Belongings {
  /** Whether the target is made for the run and may be ended with it. */
  readonly ephemeral: boolean;
  /** The target's own files, which go with it; absent where it has none, or where they are to be kept. */
  readonly files?: string;
  /** The Docker engine on which everything labelled with the run's id goes with it. */
  readonly containers?: string;
}

export const belongingsOf = (spec: TargetSpec, runDirectory: string): Belongings => {
  switch (spec.kind) {
    case 'embedded':
      return { ephemeral: true, ...(!spec.keepFiles && { files: embeddedDirectory(runDirectory) }) };
    case 'compose':
      return { ephemeral: !spec.attach, containers: dockerEndpoint().url };
    case 'external':
      return { ephemeral: false };
    case 'process':
      return { ephemeral: true, ...(!spec.keepFiles && { files: kafkaDirectory(runDirectory) }) };
  }
};

/**
 * Whether the engine that a target needs answers, before anything is made on it or remembered of it.
 * @throws EnvironmentError that says what is missing.
 */
export const reachEngine = async (spec: TargetSpec, signal?: AbortSignal): Promise<void> => {
  if (spec.kind !== 'compose') return;
  const { openDockerEngine } = await import('./docker-engine.ts');
  await openDockerEngine(dockerEndpoint(), signal);
};
