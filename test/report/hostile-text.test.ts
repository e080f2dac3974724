// What comes out of a cluster is foreign text. Whatever it holds, it is read and never acts.
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/report/html.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { REPORT_REGISTRY } from '../../src/report/registry.ts';
import { renderTerminal } from '../../src/report/terminal.ts';
import { hostile, SAMPLES } from './sample-models.ts';

const TEXTS = {
  script: '</script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>',
  attribute: "\"><svg onload=alert(1)> ' onmouseover=alert(1) x='",
  cdata: ']]><failure message="x"/><!-- --> &amp; &#0; <![CDATA[',
  terminal: '\u001b[31mred\u001b[0m \u009b2J \u0007 \u001b]8;;http://x\u0007link\r\nnext',
  controls: 'null \u0000 unit \u001f delete \u007f noncharacter \uffff \ufffe lone \ud800 and \udfff',
  bidi: 'safe \u202e gnp.exe \u2066 isolate \u200f mark \u061c zero\u200bwidth \ufeffbom tags \u{e0041}',
  markdown: '`code` **bold** [link](http://x) <b>html</b> | cell | ![i](x) # h\n\n- item @everyone http://example.test',
} as const;
const MODELS = Object.entries(TEXTS).map(([name, text]) => [name, text, hostile(text)] as const);

/** The elements and attributes of a page, text and script left out. */
const tagsOf = (page: string): string[] =>
  [
    ...page
      .replace(/<(style|script)\b[^>]*>[\s\S]*?<\/\1>/g, '')
      .matchAll(/<(\/?[a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi),
  ].map(
    ([, tag = '', attributes = '']) =>
      `${tag} ${[...attributes.matchAll(/([\w:-]+)(?:="[^"]*")?/g)].map(([, name]) => name).join(' ')}`,
  );

const ACTING =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

describe.each(MODELS)('text with %s', (_name, text, model) => {
  test('adds no element, no attribute and no script to the HTML page', () => {
    const page = renderHtml(model);
    expect(page.match(/<script\b/g)?.length).toBe(2);
    expect(page).not.toMatch(/<img|<svg on|onerror=alert\(1\)>|javascript:/);
    const attributes = new Set(tagsOf(page).flatMap((tag) => tag.split(' ').slice(1)));
    expect([...attributes].filter((name) => /^(on|href|src|style|action)/.test(name))).toEqual([]);
  });

  test('leaves the data of the timeline one JSON value, told as it is', () => {
    const page = renderHtml(model);
    const [, data = ''] = /<script type="application\/json" id="timeline-data">([^<]*)<\/script>/.exec(page) ?? [];
    const events = (JSON.parse(data) as { events: [number, number, string][] }).events;
    expect(events.some(([, , told]) => told.includes(text.slice(0, 20)))).toBe(true);
  });

  test('leaves the JUnit file well-formed XML with the same cases', () => {
    const xml = renderJunit(model);
    const parsed = new XMLParser({ ignoreAttributes: false }).parse(xml, true) as {
      testsuites: { testsuite: { testcase: unknown[] } };
    };
    const usual = new XMLParser().parse(renderJunit(SAMPLES.fail)) as typeof parsed;
    expect(parsed.testsuites.testsuite.testcase.length).toBe(usual.testsuites.testsuite.testcase.length);
  });

  test('leaves no character in any format that acts instead of being read', () => {
    for (const { render } of REPORT_REGISTRY) expect(ACTING.exec(render(model, {}))).toBeNull();
  });

  test('cannot colour the terminal, nor add lines to it', () => {
    const own = /\u001b\[(?:0|2|1;3[123])m/g;
    expect(renderTerminal(model, { colour: true }).replace(own, '')).not.toMatch(ACTING);
    expect(renderTerminal(model, {}).split('\n').length).toBeLessThanOrEqual(41);
  });

  test('formats nothing in Markdown', () => {
    const page = renderMarkdown(model);
    expect(page).not.toMatch(/<(?!\/?code>)/);
    expect(page).not.toMatch(/(?<!\\)`|(?<!\\)\*\*|(?<!\\)\[link\]|https?:\/\//);
    expect(page).not.toMatch(/@everyone/);
  });

  test('is kept, character for character, in the JSON', () => {
    const read = JSON.parse(renderJson(model)) as { scenario: { claim: string } };
    expect(read.scenario.claim).toBe(text);
  });
});
