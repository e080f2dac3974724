// A YAML file together with the places of its values, so that every complaint can name line and column. The only importer
// of the yaml package.
import { isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
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

/** Longer than any scenario a person wrote; keeps a mistaken file name from filling memory. */
const MAX_BYTES = 1024 * 1024;

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

/** Reads `text` as one YAML document; never throws for what is in it. */
export const readYaml = (file: string, text: string): YamlDocument => {
  const lines = new LineCounter();
  const tooLong = text.length > MAX_BYTES;
  const tooDeep = !tooLong && depthOf(text) > MAX_DEPTH;
  const document = parseDocument(tooLong || tooDeep ? '' : text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
  });
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
  const problems = [...document.errors, ...document.warnings].map(
    (error) => new InputError('YAML_SYNTAX', error.message.replace(/\.?$/, '.'), { place: place(error.pos[0]) }),
  );
  if (tooLong)
    problems.push(new InputError('YAML_TOO_LONG', `The file is longer than ${MAX_BYTES} bytes.`, { place: { file } }));
  if (tooDeep)
    problems.push(
      new InputError('YAML_TOO_DEEP', `The file is nested more than ${MAX_DEPTH} levels deep.`, { place: { file } }),
    );
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

const toPlain = (
  document: { toJS(options: { maxAliasCount: number }): unknown },
  problems: InputError[],
  place: (offset: number | undefined) => SourcePlace,
): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    problems.push(new InputError('YAML_ALIASES', `${message}.`, { place: place(0) }));
    return undefined;
  }
};
