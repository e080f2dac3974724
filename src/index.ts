// The public API: what the command line uses is what a library user gets, by name and nothing else. Each function loads its
// part of ackproof when it is first called, so that importing this file, and asking for help, costs next to nothing.
import type * as catalogueModule from './catalogue.ts';
import type * as healModule from './faults/heal.ts';
import type * as statusModule from './faults/status.ts';
import type * as exportModule from './ledger/export-run.ts';
import type * as judgeModule from './ledger/judge-path.ts';
import type * as judgementTextModule from './report/judgement-text.ts';
import type * as renderModule from './report/render.ts';
import type * as summaryModule from './report/render-summary.ts';
import type * as s3WordsModule from './s3-proxy/command-options.ts';
import type * as s3ClientModule from './s3-proxy/proxy-client.ts';
import type * as s3ProxyModule from './s3-proxy/s3-proxy.ts';
import type * as s3StandingModule from './s3-proxy/standing.ts';
import type * as lookModule from './scenarios/cluster-look.ts';
import type * as schemaModule from './scenarios/json-schema.ts';
import type * as loaderModule from './scenarios/loader.ts';
import type * as planModule from './scenarios/plan.ts';
import type * as pricesModule from './scenarios/price-file.ts';
import type * as clusterModule from './scenarios/registered-cluster.ts';
import type * as runModule from './scenarios/run-scenario.ts';

export type { CatalogueEntry, CatalogueKind } from './catalogue.ts';
export type { ErrorKind } from './errors.ts';
export { AckproofError, EnvironmentError, InputError, InternalError, ManyProblems, UsageError } from './errors.ts';
export type { HealReport } from './faults/heal.ts';
export type { Standings } from './faults/status.ts';
export type { JudgedPath } from './ledger/judge-path.ts';
export type { Finding, Judgement, RunResult } from './ledger/judgement.ts';
export type { DrillEnding } from './report/summary.ts';
export type { S3ProxyControl } from './s3-proxy/control.ts';
export type { ProxyCounters, RuleCounters } from './s3-proxy/counters.ts';
export type { S3ProxyOptions } from './s3-proxy/proxy-options.ts';
export type { DrainReport } from './s3-proxy/rule-book.ts';
export type { RuleSpec } from './s3-proxy/rule-schema.ts';
export type { RunningS3Proxy } from './s3-proxy/s3-proxy.ts';
export { Interruption } from './scenarios/interruption.ts';
export type { CheckedFile, LoadedScenario, LoadOptions } from './scenarios/loader.ts';
export type { Plan } from './scenarios/plan.ts';
export type { RunListener, RunProgress } from './scenarios/progress.ts';
export type { RunOptions, RunOutcome } from './scenarios/run-scenario.ts';
export { parseSize } from './units.ts';

/** A function of another module that is loaded when it is first called; a promise of its result. */
type Later<F extends (...parts: never[]) => unknown> = (...parts: Parameters<F>) => Promise<Awaited<ReturnType<F>>>;

/** Every entry of one kind, sorted by name: what `list` prints. */
export const catalogue: Later<typeof catalogueModule.catalogue> = async (kind) =>
  await (await import('./catalogue.ts')).catalogue(kind);

/** The page of one anomaly, fault, defect, client, report or target. Throws InputError with the nearest names. */
export const explainName: Later<typeof catalogueModule.explainName> = async (name) =>
  await (await import('./catalogue.ts')).explainName(name);

/** Puts back what dead runs left. Throws UsageError for a run that left nothing. */
export const healRuns: Later<typeof healModule.healRuns> = async (options) =>
  await (await import('./faults/heal.ts')).healRuns(options);
export const renderHeal: Later<typeof healModule.renderHeal> = async (report) =>
  (await import('./faults/heal.ts')).renderHeal(report);

/** Runs that go on and what dead ones left; changes nothing. */
export const statusOfRuns: Later<typeof statusModule.statusOfRuns> = async () =>
  await (await import('./faults/status.ts')).statusOfRuns();
export const renderStatus: Later<typeof statusModule.renderStatus> = async (status) =>
  (await import('./faults/status.ts')).renderStatus(status);

/** Judges a run directory or a text history. Throws InputError (malformed, newer) or EnvironmentError (unreadable). */
export const judgePath: Later<typeof judgeModule.judgePath> = async (path) =>
  await (await import('./ledger/judge-path.ts')).judgePath(path);
export const renderJudgement: Later<typeof judgementTextModule.renderJudgement> = async (judged) =>
  (await import('./report/judgement-text.ts')).renderJudgement(judged);

/** The lines of a run directory's text history. Throws InputError if it is not a run directory. */
export const exportRun = async function* (directory: string): ReturnType<typeof exportModule.exportRun> {
  yield* (await import('./ledger/export-run.ts')).exportRun(directory);
};

/** A run directory in a format of `list reports`. Throws UsageError for an unknown one. */
export const renderReport: Later<typeof renderModule.renderReport> = async (directory, format, options) =>
  await (await import('./report/render.ts')).renderReport(directory, format, options);
/** A price file, for `renderReport`. Throws ManyProblems with the place of each mistake. */
export const readPriceFile: Later<typeof pricesModule.readPriceFile> = async (file) =>
  (await import('./scenarios/price-file.ts')).readPriceFile(file);
/** Writes reports into the run directory; their paths, in the order asked for. */
export const writeReports: Later<typeof renderModule.writeReports> = async (directory, formats) =>
  await (await import('./report/render.ts')).writeReports(directory, formats);

/** Several drills as one document (json, junit, markdown or terminal). Throws UsageError for an unknown format. */
export const renderSummary: Later<typeof summaryModule.renderSummary> = async (endings, format, options) =>
  await (await import('./report/render-summary.ts')).renderSummary(endings, format, options);

/** The JSON Schemas (draft-07) of scenario and target files, by file name: what `schema/` holds. */
export const jsonSchemas: Later<typeof schemaModule.jsonSchemas> = async () =>
  (await import('./scenarios/json-schema.ts')).jsonSchemas();

/** Loads one scenario and its target. Throws ManyProblems with every mistake, or EnvironmentError for a missing file. */
export const loadScenario: Later<typeof loaderModule.loadScenario> = async (file, options) =>
  (await import('./scenarios/loader.ts')).loadScenario(file, options);
/** Loads several scenarios, or throws the problems of all of them together. */
export const loadScenarios: Later<typeof loaderModule.loadScenarios> = async (files, options) =>
  (await import('./scenarios/loader.ts')).loadScenarios(files, options);
/** Checks scenario and target files; all problems of each. */
export const validateFiles: Later<typeof loaderModule.validateFiles> = async (files, options) =>
  (await import('./scenarios/loader.ts')).validateFiles(files, options);

/** What a run would do, without starting anything. */
export const planOf: Later<typeof planModule.planOf> = async (loaded) =>
  (await import('./scenarios/plan.ts')).planOf(loaded);
export const renderPlan: Later<typeof planModule.renderPlan> = async (plan) =>
  (await import('./scenarios/plan.ts')).renderPlan(plan);

/** Who is there of a cluster that somebody else runs, and whom its faults would hit now; undefined for any other. Changes nothing. */
export const lookAtCluster: Later<typeof lookModule.lookAtCluster> = async (loaded) =>
  await (await import('./scenarios/cluster-look.ts')).lookAtCluster(loaded);
export const renderLook: Later<typeof lookModule.renderLook> = async (found) =>
  (await import('./scenarios/cluster-look.ts')).renderLook(found);

/** Runs one drill. A verdict of any kind is returned; what kept the run from one is thrown, after healing. */
export const runScenario: Later<typeof runModule.runScenario> = async (loaded, options) =>
  await (await import('./scenarios/run-scenario.ts')).runScenario(loaded, options);

/** Starts the embedded cluster by itself; disposing it ends it. */
export const startCluster: Later<typeof clusterModule.startCluster> = async (options) =>
  await (await import('./scenarios/registered-cluster.ts')).startCluster(options);
/** Ends every cluster that was started by itself. */
export const stopClusters: Later<typeof clusterModule.stopClusters> = async (directory) =>
  await (await import('./scenarios/registered-cluster.ts')).stopClusters(directory);

/** Starts the S3 fault proxy in this process. Throws InputError or EnvironmentError; `note` is told of trouble and late commits. */
export const startS3Proxy: Later<typeof s3ProxyModule.startS3Proxy> = async (options, note) =>
  await (await import('./s3-proxy/s3-proxy.ts')).startS3Proxy(options, note);
/** A running S3 fault proxy, asked through its admin API. */
export const connectS3Proxy: Later<typeof s3ClientModule.connectS3Proxy> = async (admin, options) =>
  (await import('./s3-proxy/proxy-client.ts')).connectS3Proxy(admin, options);
/** Options from words like `s3-data=9101`. Throws UsageError. */
export const s3ProxyOptionsOf: Later<typeof s3WordsModule.s3ProxyOptionsOf> = async (words) =>
  (await import('./s3-proxy/command-options.ts')).s3ProxyOptionsOf(words);
export const renderS3Proxy: Later<typeof s3StandingModule.renderS3Proxy> = async (proxy, options) =>
  (await import('./s3-proxy/standing.ts')).renderS3Proxy(proxy, options);
/** What is amiss with a proxy that was just started, a sentence each. */
export const troubleOfS3Proxy: Later<typeof s3StandingModule.troubleOfS3Proxy> = async (proxy, options) =>
  await (await import('./s3-proxy/standing.ts')).troubleOfS3Proxy(proxy, options);
