// The style sheet of the HTML report: neutral greys, one colour for the load, and three tones that only repeat what the words
// say. Light and dark by the reader's setting; print is always light.

const LIGHT = `
  --page: #f6f6f4; --surface: #ffffff; --sunken: #f1f1ee; --ink: #191b1f; --soft: #565d66; --line: #dfe0dc;
  --good: #17693f; --good-tint: #e6f2ea; --bad: #a8201a; --bad-tint: #fbeae8; --doubt: #7d5200; --doubt-tint: #fbf1dc;
  --load: #2b5c9e; --load-tint: #d5e2f3; --unknown: #b06a00; --brokers: #9c2f3f; --path: #c2842a; --client: #6c7f99;
  --band: #a8201a; --grid: #e6e7e3; --focus: #1a62c7;`;
const DARK = `
  --page: #101214; --surface: #181b1f; --sunken: #14171a; --ink: #e7e9ec; --soft: #a4acb6; --line: #2d3239;
  --good: #6fce9c; --good-tint: #12291e; --bad: #ff9188; --bad-tint: #34181a; --doubt: #e9bb68; --doubt-tint: #2f2413;
  --load: #7fb0f0; --load-tint: #1f3350; --unknown: #e7a84a; --brokers: #e8788a; --path: #dda957; --client: #8fa3bf;
  --band: #ff9188; --grid: #252a30; --focus: #8ab8ff;`;

const PAGE = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main, header > div, footer { max-width: 1180px; margin: 0 auto; padding: 0 28px; }
h1, h2, h3, p, dl, dd, figure, ul { margin: 0; }
code, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .92em; }
.soft { color: var(--soft); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
p, td, dd, li, code, h1, h3 { overflow-wrap: anywhere; }

header { background: var(--surface); border-bottom: 1px solid var(--line); border-top: 6px solid var(--tone); }
header > div { padding-top: 30px; padding-bottom: 24px; }
h1 { font-size: 27px; line-height: 1.28; font-weight: 620; letter-spacing: -.012em; max-width: 46em; }
h1 b { font-weight: 720; color: var(--tone); margin-right: .28em; }
.claim { margin-top: 12px; max-width: 50em; font-size: 16px; color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 6px 28px; margin-top: 18px; font-size: 13.5px; }
.facts div { display: flex; gap: 7px; }
.facts dt { color: var(--soft); }
.facts dd { font-weight: 560; }
.good { --tone: var(--good); --tint: var(--good-tint); } .bad { --tone: var(--bad); --tint: var(--bad-tint); }
.doubt { --tone: var(--doubt); --tint: var(--doubt-tint); } .plain { --tone: var(--soft); --tint: var(--sunken); }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 1px; margin: 24px 0 0; padding: 0;
  background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.tiles div { background: var(--surface); padding: 14px 18px 13px; }
.tiles dt { font-size: 12.5px; color: var(--soft); }
.tiles dd { font-size: 23px; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; }
.tiles dd.note { font-size: 12.5px; line-height: 1.4; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.tiles .tinted dd:first-of-type { color: var(--tone); }

section { margin: 34px 0 0; }
h2 { font-size: 18px; font-weight: 640; letter-spacing: -.006em; margin-bottom: 10px; }
h2 + .lead { margin: -4px 0 12px; color: var(--soft); max-width: 62em; font-size: 14px; }
h3 { font-size: 15px; font-weight: 620; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 18px 20px; }
.panel + .panel { margin-top: 12px; }
.panel.edge { border-left: 4px solid var(--tone); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.pair .panel + .panel { margin-top: 0; }
.pair > * { min-width: 0; }
ul.says { padding-left: 18px; display: grid; gap: 7px; }
ul.says li::marker { color: var(--soft); }
.tag { display: inline-block; font-size: 12px; font-weight: 620; line-height: 1; padding: 4px 7px; border-radius: 4px;
  background: var(--tint); color: var(--tone); vertical-align: 1px; }
.row { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; }
.row .count { font-weight: 640; }
.panel > p { margin-top: 6px; }

.scroll { overflow-x: auto; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; color: var(--soft); font-size: 13px; padding: 0 0 6px; }
th { text-align: left; font-weight: 560; font-size: 12.5px; color: var(--soft); white-space: nowrap; }
th, td { padding: 7px 26px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { color: var(--ink); font-size: 14px; }
.num { text-align: right; white-space: nowrap; }
.beside { display: grid; grid-template-columns: 3fr 2fr; gap: 12px 32px; align-items: start; } .beside > * { min-width: 0; }
.beside table { font-size: 13px; } .beside tbody th { font-size: 13px; font-weight: 500; } .beside th, .beside td { padding-top: 4px; padding-bottom: 4px; }
dl.list { display: grid; grid-template-columns: max-content 1fr; gap: 5px 18px; font-size: 14px; }
dl.list dt { color: var(--soft); }
details > summary { cursor: pointer; color: var(--soft); font-size: 13.5px; padding: 3px 0; }
details[open] > summary { margin-bottom: 6px; }
.panel > details { margin-top: 8px; }
.evidence { display: grid; grid-template-columns: max-content max-content 1fr; gap: 4px 12px; margin-top: 10px; font-size: 14px; }
.commands { display: grid; gap: 8px; }
.commands code { display: block; background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; padding: 9px 12px;
  white-space: pre-wrap; user-select: all; }
footer { padding-top: 26px; padding-bottom: 40px; color: var(--soft); font-size: 13px; }
`;

const FIGURE = `
figure { position: relative; }
.figure { padding: 16px 20px 12px; }
.figure .scroll { overflow-y: hidden; }
.figure svg { display: block; width: 100%; min-width: 1060px; height: auto; }
.key { display: flex; flex-wrap: wrap; gap: 5px 18px; font-size: 12.5px; color: var(--soft); margin-top: 10px; }
.key span { display: inline-flex; align-items: center; gap: 6px; }
.key svg { display: inline; width: 14px; min-width: 14px; height: 12px; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: var(--soft);
  font-variant-numeric: tabular-nums; }
svg .strong { fill: var(--ink); font-weight: 600; }
svg .fault-name { fill: var(--band); font-weight: 640; font-size: 12px; }
svg .grid { stroke: var(--grid); } svg .axis { stroke: var(--line); }
svg .load { fill: none; stroke: var(--load); stroke-width: 1.6; stroke-linejoin: round; }
svg .load-fill { fill: var(--load-tint); opacity: .75; }
svg .unknown { fill: var(--unknown); }
svg .p99 { fill: none; stroke: var(--load); stroke-width: 1.4; stroke-linejoin: round; }
svg .p50 { fill: none; stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 3 2; }
svg .band { fill: var(--band); opacity: .13; } svg .band-healing { fill: var(--band); opacity: .06; }
svg .band-edge { stroke: var(--band); stroke-width: 1.2; } svg .band-end { stroke: var(--band); stroke-dasharray: 3 3; }
svg .mark { fill: var(--surface); stroke: var(--band); stroke-width: 1.3; } svg .mark-letter { fill: var(--band); font-weight: 700;
  font-size: 10px; text-anchor: middle; } svg .mark-missing { stroke-dasharray: 2 2; } svg .mark-line { stroke: var(--band); opacity: .5; }
svg .lane { stroke: var(--good); stroke-width: 3; opacity: .55; }
svg .brokers { fill: var(--brokers); } svg .path { fill: var(--path); } svg .client { fill: var(--client); } svg .away { fill: var(--soft); }
svg .broken { stroke: var(--bad); stroke-width: 2; stroke-linecap: round; } svg .leader { stroke: var(--ink); stroke-width: 1.4; } svg .halo { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; }
svg .pass { fill: var(--load); opacity: .85; } svg .phase { fill: var(--sunken); } svg .phase-edge { stroke: var(--line); }
svg .cross { stroke: var(--ink); stroke-width: 1; opacity: .55; visibility: hidden; pointer-events: none; }
.tip { position: absolute; pointer-events: none; background: var(--ink); color: var(--surface); font-size: 12.5px; line-height: 1.45;
  padding: 7px 10px; border-radius: 5px; white-space: pre; z-index: 2; }
.tip[hidden] { display: none; }
`;

const NARROW = `
@media (max-width: 720px) {
  main, header > div, footer { padding-left: 16px; padding-right: 16px; }
  header > div { padding-top: 20px; }
  h1 { font-size: 21px; } .claim { font-size: 15px; }
  .pair, .beside { grid-template-columns: 1fr; } .panel { padding: 14px; }
  .tiles { grid-template-columns: 1fr 1fr; } .tiles dd { font-size: 19px; }
  dl.list { grid-template-columns: 1fr; gap: 0; } dl.list dd { margin-bottom: 8px; }
  .evidence { grid-template-columns: max-content 1fr; } .evidence span:last-child { grid-column: 1 / -1; }
  th, td { padding-right: 12px; }
  .scroll table { min-width: 480px; }
}`;

const PRINT = `
@media print {
  body { background: #fff; font-size: 11pt; } header { border-bottom-width: 1px; }
  .panel, .tiles { break-inside: avoid; } section { margin-top: 20px; } h2 { break-after: avoid; }
    .figure svg { min-width: 0; } .tip { display: none; }
  main, header > div, footer { max-width: none; padding-left: 0; padding-right: 0; }
}`;

/** The whole style sheet. */
export const STYLES = [
  `:root { color-scheme: light dark; ${LIGHT} }`,
  `@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }`,
  PAGE,
  FIGURE,
  NARROW,
  PRINT,
].join('\n');
