// Orders to a running S3 fault proxy (docs/s3-proxy.md), for the commands of a target file: one rule, by its id.
//   node rule.mjs ADMIN add ID RULE     puts it in force; RULE is the JSON of a rule without its id
//   node rule.mjs ADMIN acts ID         0 while it is in force and has acted; prints on how many requests
//   node rule.mjs ADMIN end ID          ends it; also where it has ended, or never was
//   node rule.mjs ADMIN ended ID        0 when it is not in force and holds no request
const [admin, order, id, rule] = process.argv.slice(2);
const DEADLINE_MS = 5_000;

const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

const ask = async (method, path, body) => {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = await fetch(`http://${admin}${path}`, { method, signal, ...(body === undefined ? {} : { body }) });
  const said = await answer.json();
  return { status: answer.status, said };
};

const counters = async () => (await ask('GET', '/counters')).said.rules[id];

const ORDERS = {
  add: async () => {
    const { status, said } = await ask('POST', '/rules', JSON.stringify({ ...JSON.parse(rule), id }));
    if (status === 201) process.stdout.write(`rule ${id} is in force for ${said.ttlMs} ms\n`);
    else fail(said.error.message);
  },
  acts: async () => {
    const told = await counters();
    const acted = told?.acted ?? 0;
    if (told?.state === 'active' && acted > 0) process.stdout.write(`rule ${id} acted on ${acted} requests\n`);
    else fail(`rule ${id} is ${told?.state ?? 'not known'} and acted on ${acted} requests`);
  },
  end: async () => {
    const { status, said } = await ask('DELETE', `/rules/${encodeURIComponent(id)}`);
    if (status === 200 || status === 404) process.stdout.write(`rule ${id} is not in force\n`);
    else fail(said.error.message);
  },
  ended: async () => {
    const told = await counters();
    if (told?.state === 'active' || (told?.held ?? 0) > 0)
      fail(`rule ${id} is ${told.state} and holds ${told.held} requests`);
    else process.stdout.write(`rule ${id} is not in force\n`);
  },
};

const run = ORDERS[order];
if (run === undefined || id === undefined || (order === 'add') !== (rule !== undefined)) {
  fail('Write: rule.mjs HOST:PORT add ID RULE, or acts, end, ended ID.');
  process.exitCode = 64;
} else {
  await run().catch((thrown) =>
    fail(`The S3 fault proxy at ${admin} did not do it: ${thrown.cause?.message ?? thrown.message}`),
  );
}
