#!/usr/bin/env node
// The program. It imports nothing before it can say what went wrong: Node.js ends with 1 where a file or a package is missing,
// and here 1 means that acknowledged records were lost.
try {
  const { runCommandLine } = await import('./command-line.ts');
  await runCommandLine(process.argv.slice(2));
} catch (thrown) {
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(`NOT_INSTALLED — ackproof cannot be loaded: ${what}\nInstall it again, with its packages.\n`);
  process.exitCode = 69;
}
