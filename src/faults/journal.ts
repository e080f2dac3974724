// The fault journal of a run: append-only NDJSON, one line an edge, fsynced before the call it announces. Whoever reads it,
// this process or a later one, knows everything that may have to be undone. The first line tells the format's version.
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { EnvironmentError, InputError, InternalError } from '../errors.ts';
import type { JournalLine, UndoRecord } from './fault.ts';

/** 3 knows of what is made before an intent, and of cuts by packet filters. */
const JOURNAL_VERSION = 3;
const READABLE: readonly unknown[] = [2, JOURNAL_VERSION];

/** The first line. `at` and `wallMs` were read together, so that another process can tell the run's time. */
export interface JournalHeader {
  readonly t: 'journal';
  readonly version: number;
  readonly run: string;
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly wallMs: number;
}

export interface Journal {
  readonly path: string;
  /** Returns once the line is on disk. Lines of one journal are written in the order of the calls. */
  append(edge: JournalLine): Promise<void>;
  close(): Promise<void>;
}

const appender = (file: FileHandle, path: string): Journal => {
  let last: Promise<void> = Promise.resolve();
  const write = async (edge: JournalLine): Promise<void> => {
    try {
      await file.appendFile(`${JSON.stringify(edge)}\n`);
      await file.sync();
    } catch (cause) {
      throw new EnvironmentError('JOURNAL_NOT_WRITTEN', `The fault journal ${path} cannot be written.`, {
        cause,
        hint: 'Free some space on that disk; without a journal no fault is performed.',
      });
    }
  };
  return {
    path,
    append: async (edge) => {
      const mine = last.then(async () => await write(edge));
      last = mine.catch(() => undefined);
      await mine;
    },
    close: async () => {
      await last;
      await file.close();
    },
  };
};

/** Creates the journal of a run; the file must not exist yet. */
export const createJournal = async (path: string, header: Omit<JournalHeader, 't' | 'version'>): Promise<Journal> => {
  const file = await open(path, 'ax').catch((cause: unknown) => {
    throw new EnvironmentError('JOURNAL_NOT_WRITTEN', `The fault journal ${path} cannot be created.`, {
      cause,
      hint: 'See that the run directory may be written to and that its disk has room.',
    });
  });
  const first: JournalHeader = { t: 'journal', version: JOURNAL_VERSION, ...header };
  await file.appendFile(`${JSON.stringify(first)}\n`);
  await file.sync();
  return appender(file, path);
};

/** Opens an existing journal to add edges; a torn last line is closed off first, so that it stays one bad line. */
export const reopenJournal = async (path: string): Promise<Journal> => {
  const text = await readFile(path, 'utf8');
  const file = await open(path, 'a');
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  return appender(file, path);
};

export interface JournalReading {
  /** Absent when the file ends before its first line did. */
  readonly header?: JournalHeader;
  readonly edges: readonly JournalLine[];
  /** Lines that are no JSON: a torn end, or one that a later writer closed off. */
  readonly tornLines: number;
}

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const headerOf = (parsed: unknown, path: string): JournalHeader | undefined => {
  if (!isRecord(parsed) || parsed['t'] !== 'journal') return undefined;
  if (READABLE.includes(parsed['version'])) return parsed as unknown as JournalHeader;
  throw new InputError(
    'JOURNAL_VERSION',
    `The journal ${path} has format ${String(parsed['version'])}; this ackproof reads formats ${READABLE.join(' and ')}.`,
    { hint: 'Use the version of ackproof that wrote it.' },
  );
};

/** Reads a journal that may have been cut off in the middle of a line. */
export const parseJournal = (text: string, path: string): JournalReading => {
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.map(parseLine);
  const header = headerOf(parsed[0], path);
  const edges = parsed.filter((line): line is Readonly<Record<string, unknown>> => isRecord(line) && 'edge' in line);
  return {
    ...(header === undefined ? {} : { header }),
    edges: edges as unknown as readonly JournalLine[],
    tornLines: parsed.filter((line) => line === undefined).length,
  };
};

export const readJournal = async (path: string): Promise<JournalReading> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new EnvironmentError('JOURNAL_NOT_READ', `The fault journal ${path} cannot be read.`, {
      cause,
      hint: 'See that the file is there and that you may read it.',
    });
  });
  return parseJournal(text, path);
};

/** Undefined where there is none: it is created before a run's first fault. Throws where there is one that cannot be read. */
export const findJournal = async (path: string): Promise<JournalReading | undefined> =>
  await readJournal(path).catch((thrown: unknown) => {
    const cause = (thrown as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code === 'ENOENT') return undefined;
    throw thrown;
  });

/** A fault that may still be active, or for which something was made that is still there. */
export interface OpenFault {
  readonly id: string;
  /** The newest line that tells how it is taken back. */
  readonly intent: JournalLine;
  readonly undo: UndoRecord;
  readonly last: JournalLine['edge'];
  /**
   * A call may have been on its way when its caller died or gave up: undo at once, and again after the longest call deadline.
   * Only one that was seen to act in full, and that nobody has begun to heal, has none left.
   */
  readonly mayBeInFlight: boolean;
}

const isOver = (last: OpenFault['last']): boolean => last === 'healed' || last === 'discarded';

/** The faults that are not healed, newest first; one with nothing to undo is never open. */
export const openFaults = (edges: readonly JournalLine[]): readonly OpenFault[] => {
  const byId = new Map<string, { -readonly [K in keyof Omit<OpenFault, 'id'>]: OpenFault[K] }>();
  for (const edge of edges) {
    const known = byId.get(edge.id);
    if (edge.edge === 'preparing' || edge.edge === 'intent') {
      byId.set(edge.id, { intent: edge, undo: undoOf(edge), last: edge.edge, mayBeInFlight: true });
    } else if (known !== undefined) {
      known.last = edge.edge;
      if (edge.edge === 'confirmed') known.mayBeInFlight = false;
      if (edge.edge === 'healing' || edge.edge === 'heal-failed') known.mayBeInFlight = true;
    }
  }
  return [...byId.entries()]
    .filter(([, fault]) => !isOver(fault.last) && fault.undo.steps.length > 0)
    .map(([id, fault]) => ({ id, ...fault }))
    .reverse();
};

/** The open faults of a journal, none where there is no journal. Throws where there is one that cannot be read. */
export const openFaultsOf = async (path: string): Promise<readonly OpenFault[]> =>
  openFaults((await findJournal(path))?.edges ?? []);

const undoOf = (edge: JournalLine): UndoRecord => {
  if (edge.undo !== undefined) return edge.undo;
  throw new InternalError('JOURNAL_WITHOUT_UNDO', `The intent of fault ${edge.id} carries no undo.`);
};
