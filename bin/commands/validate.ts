// `validate`: every problem of every file at once, with its place. Reads files only.
import { exitCodeOfError } from '../exit-codes.ts';
import { plainText, writeErr, writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

export const validate = defineCommand(
  'validate <file..>',
  'check scenario and target files; all problems at once, nothing is started',
  (argv) =>
    argv
      .positional('file', { type: 'string', array: true, demandOption: true, describe: 'scenario or target files' })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'check the scenarios against this target instead of their own',
      })
      .option('format', FORMAT_OPTION)
      .example('$0 validate scenarios/leader-kill.yaml', 'ok, or file:line:column for every mistake'),
  async ({ file, format, target }) => {
    const { ManyProblems, validateFiles } = await import('../../src/index.ts');
    const checked = await validateFiles(file, target === undefined ? {} : { target });
    const problems = checked.flatMap((one) => one.problems);
    if (format === 'json') {
      writeOut(
        JSON.stringify(
          checked.map((one) => ({
            file: one.file,
            kind: one.kind,
            ok: one.problems.length === 0,
            problems: one.problems.map(({ code, message, place, hint }) => ({ code, message, place, hint })),
          })),
          null,
          2,
        ),
      );
    } else {
      for (const problem of problems) writeErr(plainText(problem.describe()));
      for (const one of checked) if (one.problems.length === 0) writeOut(plainText(`ok  ${one.kind}  ${one.file}`));
    }
    return problems.length === 0 ? 0 : exitCodeOfError(new ManyProblems(problems).kind);
  },
);
