// Reads one page of ListObjectsV2, asked for with `encoding-type=url`, so that names hold no markup.

export interface KeyPage {
  readonly keys: readonly string[];
  /** Continuation token of the next page; undefined on the last. */
  readonly next?: string;
}

const textOf = (document: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(document)?.[1];

export const parseListPage = (document: string): KeyPage => {
  const keys = [...document.matchAll(/<Contents><Key>([^<]*)<\/Key>/g)].map(([, name = '']) =>
    decodeURIComponent(name.replaceAll('&apos;', "'").replaceAll('&#x27;', "'")),
  );
  const next = textOf(document, 'IsTruncated') === 'true' ? textOf(document, 'NextContinuationToken') : undefined;
  return { keys, ...(next === undefined ? {} : { next }) };
};
