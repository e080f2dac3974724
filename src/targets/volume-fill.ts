// Filling the volume of a container from another one beside it: what is written so counts neither as its memory nor as its disk, it
// goes on while the filled one is down, and it can be taken away then, too. The container that fills carries the run's label.
import { EnvironmentError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import { HOLD_SECONDS, removeHelper, runBeside } from './container-beside.ts';
import type { ContainerControl, FillState, LogVolume, VolumeFill } from './container-control.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isConflict, isNotThere } from './docker-failure.ts';
import { logMountOf } from './log-mount.ts';
import { ownerLabels } from './project-lock.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 50;
const BLOCK_BYTES = 4096;
const BIG_BLOCK_BYTES = 1024 ** 2;

const FILL_LABEL = 'ackproof.fill';

const fileOf = ({ directory, name }: VolumeFill): string => `${directory}/.${name}`;

/** Writes until only so much is free, again and again: what is filled may give some of it free. */
const fillScript = (fill: VolumeFill): string => `
f=${shellQuoted(fileOf(fill))}
end=$(($(date +%s) + ${HOLD_SECONDS}))
while [ "$(date +%s)" -lt "$end" ]; do
  set -- $(stat -f -c '%a %S' ${shellQuoted(fill.directory)})
  over=$(($1 * $2 - ${fill.leaveBytes}))
  if [ "$over" -ge ${BLOCK_BYTES} ]; then
    dd if=/dev/zero bs=${BIG_BLOCK_BYTES} count=$((over / ${BIG_BLOCK_BYTES})) >>"$f" 2>/dev/null
    dd if=/dev/zero bs=${BLOCK_BYTES} count=$((over % ${BIG_BLOCK_BYTES} / ${BLOCK_BYTES})) >>"$f" 2>/dev/null
  fi
  sleep 0.2 || sleep 1
done
rm -f "$f"`;

/** Free bytes, and whether the file is there: `1048576 there`. */
const lookScript = (fill: VolumeFill): string => `
set -- $(stat -f -c '%a %S' ${shellQuoted(fill.directory)})
[ -e ${shellQuoted(fileOf(fill))} ] && there=there || there=gone
echo $(($1 * $2)) $there`;

/** Undefined for what is no answer. */
const lookedIn = (output: string): FillState | undefined => {
  const [, free = '', there = ''] = /^(\d+) (there|gone)$/mu.exec(output) ?? [];
  return free === '' ? undefined : { freeBytes: Number(free), isThere: there === 'there' };
};

const stateOf = (output: string, fill: VolumeFill): FillState => {
  const state = lookedIn(output);
  if (state !== undefined) return state;
  throw new EnvironmentError(
    'FILL_NOT_READ',
    `Nobody can tell how full ${fill.directory} is: ${output.trim() || 'no answer'}.`,
    { hint: 'See that the container runs and that its image has df and stat.' },
  );
};

const labelsOf = ({ runId, name }: VolumeFill) => ({ 'ackproof.run': runId, ...ownerLabels(), [FILL_LABEL]: name });

/** From one that runs, unless it ends at that moment. */
const lookWithin = async (
  engine: DockerEngine,
  id: string,
  script: string,
  signal: AbortSignal | undefined,
): Promise<FillState | undefined> => {
  try {
    const { status } = await engine.inspect(id, signal);
    return status === 'running' ? lookedIn(await engine.exec(id, ['/bin/sh', '-c', script], signal)) : undefined;
  } catch (thrown) {
    signal?.throwIfAborted();
    if (isNotThere(thrown) || isConflict(thrown)) return undefined;
    throw thrown;
  }
};

/** Looks from whoever can: the container itself, the one that fills, which counts as something of it, else a helper. */
export const readFill = async (
  engine: DockerEngine,
  id: string,
  fill: VolumeFill,
  signal?: AbortSignal,
): Promise<FillState> => {
  const filling = await engine.containerIds({ [FILL_LABEL]: fill.name }, signal);
  const script = lookScript(fill);
  for (const within of [id, ...filling]) {
    const state = await lookWithin(engine, within, script, signal);
    if (state !== undefined) return { ...state, isThere: state.isThere || filling.length > 0 };
  }
  const facts = await engine.inspect(id, signal);
  const state = stateOf(await runBeside(engine, facts, { runId: fill.runId, script }, signal), fill);
  return { ...state, isThere: state.isThere || filling.length > 0 };
};

export const startFill = async (
  engine: DockerEngine,
  id: string,
  fill: VolumeFill,
  signal: AbortSignal,
): Promise<void> => {
  const { imageId } = await engine.inspect(id, signal);
  await engine.startBeside(id, { image: imageId, script: fillScript(fill), labels: labelsOf(fill) }, signal);
  const wait = { awaited: `${fill.directory} to be full`, deadlineMs: DEADLINE_MS, everyMs: LOOK_EVERY_MS, signal };
  await waitFor(wait, async () => {
    const { freeBytes } = await readFill(engine, id, fill, signal);
    return freeBytes < fill.leaveBytes + BLOCK_BYTES ? done(true) : notYet(`${freeBytes} bytes are free`);
  });
};

export const endFill = async (
  engine: DockerEngine,
  id: string,
  fill: VolumeFill,
  signal: AbortSignal,
): Promise<void> => {
  for (const filling of await engine.containerIds({ [FILL_LABEL]: fill.name }, signal)) {
    await removeHelper(engine, filling, signal);
  }
  const facts = await engine.inspect(id, signal);
  const order = { runId: fill.runId, script: `rm -f ${shellQuoted(fileOf(fill))}${lookScript(fill)}` };
  const { isThere } = stateOf(await runBeside(engine, facts, order, signal), fill);
  if (isThere)
    throw new EnvironmentError('FILL_NOT_REMOVED', `${fileOf(fill)} cannot be removed.`, {
      hint: 'Remove that file by hand in the container, or run `ackproof heal --all`.',
    });
};

/** The commands that do the same by hand. */
export const fillCommand = (fill: VolumeFill, id: string): string =>
  `docker rm -fv $(docker ps -aq --filter label=${FILL_LABEL}=${fill.name}); ` +
  `docker run --rm --user 0 --volumes-from ${id} --entrypoint rm $(docker inspect -f '{{.Image}}' ${id}) -f ${fileOf(fill)}`;

/** A size of its own: a file system in memory that was given one, or one in a file. */
const isSizeCapped = (options: Readonly<Record<string, string>>): boolean => {
  const words = (options['o'] ?? '').split(',');
  if (options['type'] === 'tmpfs') return words.some((each) => each.startsWith('size='));
  return words.includes('loop');
};

export const findLogVolume = async (
  engine: DockerEngine,
  facts: ContainerFacts,
  signal: AbortSignal,
): ReturnType<ContainerControl['logVolume']> => {
  const found = logMountOf(facts);
  if (found === undefined) return undefined;
  const { log, mount } = found;
  if (mount === undefined || mount.volume === '') return { directory: log, isCapped: false } satisfies LogVolume;
  const volume = await engine.volume(mount.volume, signal);
  return { directory: mount.directory, isCapped: isSizeCapped(volume?.options ?? {}) };
};
