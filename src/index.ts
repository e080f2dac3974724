// The public API: what the command line uses is what a library user gets, by name and nothing else.
export { CATALOGUE_KINDS, type CatalogueEntry, type CatalogueKind, catalogue, explainName } from './catalogue.ts';
export type { ErrorKind } from './errors.ts';
export { AckproofError, EnvironmentError, InputError, InternalError, ManyProblems, UsageError } from './errors.ts';
export { healRuns, renderHeal } from './faults/heal.ts';
export { renderStatus, statusOfRuns } from './faults/status.ts';
export { exportRun } from './ledger/export-run.ts';
export { judgePath } from './ledger/judge-path.ts';
export type { Finding, Judgement, RunResult } from './ledger/judgement.ts';
export { renderJudgement } from './report/judgement-text.ts';
export { renderReport, writeReports } from './report/render.ts';
export { Interruption } from './scenarios/interruption.ts';
export { type LoadedScenario, loadScenario, validateFiles } from './scenarios/loader.ts';
export { type Plan, planOf, renderPlan } from './scenarios/plan.ts';
export type { RunEvent, RunListener } from './scenarios/progress.ts';
export { type RunOptions, type RunOutcome, runScenario } from './scenarios/run-scenario.ts';
export { startCluster, stopClusters } from './targets/standalone-cluster.ts';
