// Prints what is known of every defect, as JSON on stdout: the embedded cluster is a program of its own, so whoever wants to
// list its defects asks it.
import { defects } from './defects/registry.ts';

process.stdout.write(`${JSON.stringify(defects)}\n`);
