// Renders a run directory in a format asked for by name. The exit code and the verdict are the run's; nothing here can change
// them, and a format that fails to render leaves the others standing.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EnvironmentError, suggestName, UsageError } from '../errors.ts';
import { buildModel } from './build-model.ts';
import type { RenderOptions } from './model.ts';
import { REPORT_REGISTRY, type ReportFormat } from './registry.ts';

const formatNamed = (name: string): ReportFormat => {
  const found = REPORT_REGISTRY.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  throw new UsageError('REPORT_UNKNOWN_FORMAT', `No report format is named "${name}".`, {
    hint: suggestName(
      name,
      REPORT_REGISTRY.map(({ kind }) => kind),
    ),
  });
};

/** The report of a run directory as text. Throws UsageError for an unknown format, InputError where there is no run. */
export const renderReport = async (runDirectory: string, format: string, options: RenderOptions): Promise<string> => {
  const { render } = formatNamed(format);
  return render(await buildModel(runDirectory, options.prices), options);
};

/** Writes each format into the run directory under its usual name, once; the paths come back in the order asked for. */
export const writeReports = async (runDirectory: string, formats: readonly string[]): Promise<readonly string[]> => {
  const wanted = [...new Set(formats)].map(formatNamed);
  const model = await buildModel(runDirectory);
  return wanted.map(({ file, render }) => {
    const path = join(resolve(runDirectory), file);
    try {
      writeFileSync(path, render(model, {}));
    } catch (cause) {
      throw new EnvironmentError('REPORT_NOT_WRITTEN', `Cannot write ${path}.`, {
        cause,
        hint: 'Free some space, or see that the run directory may be written to; then run: ackproof report.',
      });
    }
    return path;
  });
};
