// Recorded frames on disk: one JSON file per client in test/fixtures/wire/, frames in base64, kept small by taking at most a
// few frames for each kind of message.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RecordedFrame } from './frame-recorder.ts';

const DIRECTORY = fileURLToPath(new URL('../fixtures/wire/', import.meta.url));
const MAX_PER_KIND = 3;
const MAX_FRAME_BYTES = 4096;

interface StoredFrame {
  readonly direction: 'request' | 'response';
  readonly api: string;
  readonly version: number;
  readonly base64: string;
}

/** Frames of every kind, shortest and longest first, within the limits. */
const selection = (frames: readonly RecordedFrame[]): readonly RecordedFrame[] => {
  const kinds = new Map<string, RecordedFrame[]>();
  for (const frame of frames) {
    if (frame.frame.length > MAX_FRAME_BYTES || frame.api.startsWith('key ')) continue;
    const kind = `${frame.api} ${String(frame.version).padStart(2, '0')} ${frame.direction}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), frame]);
  }
  return [...kinds]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([, list]) => {
      const bySize = [...new Map(list.map((entry) => [entry.frame.length, entry])).values()].sort(
        (one, other) => one.frame.length - other.frame.length,
      );
      return bySize.length <= MAX_PER_KIND
        ? bySize
        : [bySize[0]!, bySize[Math.floor(bySize.length / 2)]!, bySize.at(-1)!];
    });
};

/** Writes `<client>.json`, replacing what was there. */
export const storeFrames = (client: string, frames: readonly RecordedFrame[]): void => {
  const stored: StoredFrame[] = selection(frames).map(({ direction, api, version, frame }) => ({
    direction,
    api,
    version,
    base64: frame.toString('base64'),
  }));
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(`${DIRECTORY}${client}.json`, `[\n${stored.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`);
};

/** Every stored frame, sorted by client. */
export const loadFrames = (): readonly RecordedFrame[] =>
  readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) =>
      (JSON.parse(readFileSync(`${DIRECTORY}${name}`, 'utf8')) as StoredFrame[]).map(({ base64, ...rest }) => ({
        ...rest,
        client: name.replace(/\.json$/, ''),
        frame: Buffer.from(base64, 'base64'),
      })),
    );
