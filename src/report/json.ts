// The report as JSON: the model itself, for programs. Its schema is schema/report.schema.json.
import { safeJson } from './escape.ts';
import type { ReportModel } from './model.ts';

export const renderJson = (model: ReportModel): string => `${safeJson(model)}\n`;
