// A YAML file together with the places of its values, so that every complaint can name line and column. The only importer
// of the yaml package.
import {
  type Alias,
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { InputError, type SourcePlace } from '../errors.ts';

export type YamlPath = readonly (string | number)[];

export interface YamlDocument {
  readonly file: string;
  /** Plain data, or undefined for an empty file. */
  readonly data: unknown;
  /** Everything that is not YAML; empty when `data` can be used. */
  readonly problems: readonly InputError[];
  /** The place of the value at `path`, or of its nearest parent that is there. */
  placeOf(path: YamlPath): SourcePlace;
  /** The place of the key `key` in the mapping at `path`. */
  placeOfKey(path: YamlPath, key: string): SourcePlace;
}

/** More levels than any scenario a person wrote; the parser is lost in far deeper ones. */
const MAX_DEPTH = 64;

/** How many levels deep a text is at most: brackets that are open at once, or different indentations and dashes of one line. */
const depthOf = (text: string): number => {
  let open = 0;
  let deepest = 0;
  for (const found of text.match(/[[\]{}]/g) ?? []) {
    open = Math.max(0, open + (found === '[' || found === '{' ? 1 : -1));
    deepest = Math.max(deepest, open);
  }
  for (const line of text.split('\n')) {
    const [indent = '', dashes = ''] = /^( *)((?:[-?:] +)*)/.exec(line)?.slice(1) ?? [];
    deepest = Math.max(deepest, indent.length / 2 + dashes.length / 2);
  }
  return deepest;
};

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

/** What the parser says to those who use it, in words for those who write the file. */
const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A file holds one scenario or one target, and a second document begins here. Make a file of it.',
  TAB_AS_INDENT: 'Tabs are not allowed as indentation. Use spaces.',
};

/** Behind a tab everything stands in the wrong column; one complaint is enough. */
const worthTelling = (errors: readonly YAMLError[]): readonly YAMLError[] => {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT');
  return tabs.length === 0 ? errors : tabs;
};

interface Oddity {
  readonly at: number | undefined;
  readonly text: string;
}

const aliasText = (alias: Alias, anchors: ReadonlySet<string>, parents: readonly unknown[]): string | undefined => {
  if (!anchors.has(alias.source)) return `There is no anchor "&${alias.source}" before this alias.`;
  const isItsOwn = parents.some((parent) => isCollection(parent) && parent.anchor === alias.source);
  return isItsOwn ? `"*${alias.source}" stands within what it is an alias of.` : undefined;
};

/** Keys that are no plain words, numbers whose value depends on who reads them, aliases that cannot be unfolded. */
const oddities = (document: Document.Parsed): readonly Oddity[] => {
  const found: Oddity[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Alias: (_, alias, parents) => {
      const text = aliasText(alias, anchors, parents);
      if (text !== undefined) found.push({ at: startOf(alias), text });
    },
    Collection: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value === 'string') return;
      found.push({ at: startOf(key), text: 'A key must be a word, like name or rate.' });
    },
    Scalar: (_, { value, source, range, anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
      if (typeof value !== 'number' || !/^[-+]?0[0-9]/.test(source ?? '')) return;
      const text = `${source ?? ''} is octal to some readers and decimal to others. Write it without the leading zero.`;
      found.push({ at: range?.[0], text });
    },
  });
  return found;
};

/** Reads `text` as one YAML document; never throws for what is in it. */
export const readYaml = (file: string, text: string): YamlDocument => {
  const lines = new LineCounter();
  const tooDeep = depthOf(text) > MAX_DEPTH;
  const document = parseDocument(tooDeep ? '' : text, { lineCounter: lines, prettyErrors: false, strict: true });
  const place = (offset: number | undefined): SourcePlace => {
    if (offset === undefined) return { file };
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const nodeAt = (path: YamlPath): unknown => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (startOf(node) !== undefined) return node;
    }
    return undefined;
  };
  const problems = worthTelling([...document.errors, ...document.warnings]).map(
    ({ code, message, pos }) =>
      new InputError('YAML_SYNTAX', WORDS[code] ?? message.replace(/\.?$/, '.'), {
        place: place(pos[0]),
        hint: 'Correct it at that place; an editor with a YAML mode marks it.',
      }),
  );
  if (tooDeep) {
    const message = `The file is nested more than ${MAX_DEPTH} levels deep.`;
    problems.push(
      new InputError('YAML_TOO_DEEP', message, {
        place: { file },
        hint: 'Write it with fewer levels; no scenario needs so many.',
      }),
    );
  } else if (problems.length === 0) {
    problems.push(
      ...oddities(document).map(
        ({ at, text }) =>
          new InputError('YAML_ODD', text, {
            place: place(at),
            hint: 'Write it in plain YAML, without what is complained of.',
          }),
      ),
    );
    if (document.contents === null) problems.push(emptyFile(file));
  }
  return {
    file,
    data: problems.length === 0 ? toPlain(document, problems, place) : undefined,
    problems,
    placeOf: (path) => place(startOf(nodeAt(path))),
    placeOfKey: (path, key) => {
      const map: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
      if (!isMap(map)) return place(startOf(nodeAt(path)));
      const pair = map.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key);
      return place(startOf(pair?.key) ?? startOf(map));
    },
  };
};

const emptyFile = (file: string): InputError =>
  new InputError('YAML_EMPTY', 'The file is empty.', {
    place: { file, line: 1, column: 1 },
    hint: 'Begin with one of the scenarios that come with ackproof.',
  });

const toPlain = (
  document: { toJS(options: { maxAliasCount: number }): unknown },
  problems: InputError[],
  place: (offset: number | undefined) => SourcePlace,
): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    const message = 'The aliases of this file unfold into far more than stands in it.';
    problems.push(new InputError('YAML_ALIASES', message, { place: place(0), hint: 'Write the values out.' }));
    return undefined;
  }
};
