// Every report format, sorted by kind. A format is one file and one line here.
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { Reporter } from './model.ts';
import { renderTerminal } from './terminal.ts';

export interface ReportFormat {
  readonly kind: string;
  /** One sentence. */
  readonly summary: string;
  /** The name `--report` writes it under in the run directory. */
  readonly file: string;
  readonly render: Reporter;
}

export const REPORT_REGISTRY = [
  {
    kind: 'html',
    summary: 'One self-contained page with the timeline, for people; needs no network.',
    file: 'report.html',
    render: renderHtml,
  },
  {
    kind: 'json',
    summary: 'The whole report for programs, in a versioned form with a JSON Schema.',
    file: 'report.json',
    render: renderJson,
  },
  {
    kind: 'junit',
    summary: 'A suite with a case for each fault, invariant and bound, for CI systems.',
    file: 'junit.xml',
    render: renderJunit,
  },
  {
    kind: 'markdown',
    summary: 'A page for a pull request, a ticket or a CI summary.',
    file: 'report.md',
    render: renderMarkdown,
  },
  {
    kind: 'terminal',
    summary: 'At most forty lines of text, the reason for the verdict first.',
    file: 'report.txt',
    render: renderTerminal,
  },
] as const satisfies readonly ReportFormat[];
