// What the cluster told of itself while a part went on, as a list to read beside the faults: brokers fenced, leaders of the quorum,
// sets of replicas, failed disks, and the lines of its logs that a pattern names. What was so from the beginning is no change.
import type { NoteLine } from '../ledger/history-lines.ts';
import { numberIn, textIn } from './evidence-notes.ts';
import type { ClusterChange } from './model.ts';

/** More than this is no list to read. */
const MOST_CHANGES = 200;

/** Watches whose first word is the state they found. */
const BY_PARTITION: ReadonlySet<string> = new Set(['elr', 'isr']);
const WHOLE: ReadonlySet<string> = new Set(['fenced', 'quorum', 'metrics']);

/** What is so through the whole part stands with the boundaries. */
const FOR_GOOD: ReadonlySet<string> = new Set(['not-collected', 'not-permitted', 'not-provided']);

/** The watch that a note is from, where it is from one: `log-dirs` for every broker's. */
const watchOf = ({ source }: NoteLine): string | undefined => {
  const [watch = ''] = source.split('/');
  return BY_PARTITION.has(watch) || WHOLE.has(watch) || watch === 'log-dirs' ? watch : undefined;
};

const titleOf = (watch: string): string => (watch === 'isr' ? 'in sync, ' : '');

const logChange = ({ at, source, text, data }: NoteLine): ClusterChange | undefined => {
  const pattern = textIn(data, 'pattern');
  const file = textIn(data, 'file');
  const position = numberIn(data, 'position');
  if (pattern === undefined || file === undefined || position === undefined) return undefined;
  const loggedAt = textIn(data, 'loggedAt');
  const place = { file, position, ...(loggedAt === undefined ? {} : { loggedAt }) };
  return { at, source, what: pattern, text, place };
};

/** In the order of the timeline. */
export const clusterChanges = (notes: readonly NoteLine[]): readonly ClusterChange[] => {
  const begun = new Set<string>();
  const changes = notes.flatMap((note): readonly ClusterChange[] => {
    const logged = logChange(note);
    if (logged !== undefined) return [logged];
    const watch = watchOf(note);
    const state = textIn(note.data, 'state');
    const isState = state !== undefined;
    if (watch === undefined || note.data?.['atEnd'] === true || FOR_GOOD.has(state ?? '')) return [];
    const key = BY_PARTITION.has(watch) ? `${watch} ${numberIn(note.data, 'partition') ?? ''}` : note.source;
    const isFirst = !begun.has(key) && !isState;
    if (!isState) begun.add(key);
    if (isFirst) return [];
    return [{ at: note.at, source: note.source, what: watch, text: `${titleOf(watch)}${note.text}` }];
  });
  return changes.slice(0, MOST_CHANGES);
};
