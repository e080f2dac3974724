// typescript-eslint's strictest rules, plus the layer rule: each folder may import what the table below says and nothing
// else. One complete rule is generated per folder, because a later block replaces `no-restricted-imports`, it does not merge.
import tseslint from 'typescript-eslint';

/** Files of src/ that everyone may import, without `.ts`. */
export const LEAVES = [
  'vocabulary',
  'errors',
  'outcomes',
  'checksum',
  'clock',
  'random',
  'environment',
  'ports',
  'units',
  'directories',
  'shell',
];
const FOLDERS = [
  'scenarios',
  'report',
  'ledger',
  'clients',
  'faults',
  'evidence',
  'targets',
  'embedded',
  's3-proxy',
  'wire',
];

/** folder → the folders of ours it may import, besides itself and the leaf files. */
export const LAYERS = {
  scenarios: ['clients', 'faults', 'targets', 'evidence', 'ledger', 'wire'],
  report: ['ledger'],
  ledger: [],
  clients: ['wire'],
  faults: ['targets', 's3-proxy', 'wire'],
  evidence: ['targets', 'wire'],
  targets: ['s3-proxy', 'wire'],
  embedded: ['wire'],
  's3-proxy': [],
  wire: [],
};

/** outside package → the only files that may import it. */
export const OUTSIDE = {
  kafkajs: ['src/clients/kafkajs.ts'],
  'toxiproxy-node-client': ['src/faults/backends/toxiproxy.ts'],
  '@aws-sdk/client-s3': ['src/targets/object-store.ts'],
  dockerode: ['src/targets/docker-engine.ts'],
  yargs: ['bin/**'],
  'yargs/helpers': ['bin/**'],
  yaml: ['src/scenarios/loader.ts', 'src/scenarios/yaml-document.ts'],
  '@node-rs/crc32': ['src/checksum.ts'],
  fzstd: ['src/wire/zstd.ts'],
};

const outsidePattern = (allowed) =>
  Object.keys(OUTSIDE)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({
      regex: `^${name}$`,
      message: `${name} has one importer: ${OUTSIDE[name].join(', ')}. Use what that file exports.`,
    }));

const folderRule = (folder) => {
  const forbidden = FOLDERS.filter((other) => other !== folder && !LAYERS[folder].includes(other));
  return {
    files: [`src/${folder}/**/*.ts`],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(\\.\\./)+(${forbidden.join('|')})/`,
              message: `src/${folder} may import only ${[...LAYERS[folder], 'the leaf files'].join(', ')} (docs/architecture.md).`,
            },
            {
              regex: '^(\\.\\./)+(index|bin/.*)\\.ts$',
              message: 'Nothing below imports the public API or the program.',
            },
            ...outsidePattern([]),
          ],
        },
      ],
    },
  };
};

const outsideRules = Object.entries(OUTSIDE)
  .filter(([, files]) => files.some((file) => file.startsWith('src/')))
  .reduce((byFile, [name, files]) => {
    for (const file of files) byFile.set(file, [...(byFile.get(file) ?? []), name]);
    return byFile;
  }, new Map());

const oneImporter = [...outsideRules].map(([file, names]) => {
  const folder = file.split('/')[1];
  const rule = FOLDERS.includes(folder)
    ? folderRule(folder)
    : { rules: { 'no-restricted-imports': ['error', { patterns: [] }] } };
  const [level, { patterns }] = rule.rules['no-restricted-imports'];
  const kept = patterns.filter((pattern) => !names.some((name) => pattern.regex === `^${name}$`));
  return { files: [file], rules: { 'no-restricted-imports': [level, { patterns: kept }] } };
});

const noAmbient = {
  'no-console': 'error',
  'no-restricted-globals': [
    'error',
    { name: 'Date', message: 'Use src/clock.ts.' },
    { name: 'console', message: 'Only bin/ and the entry programs print.' },
  ],
  'no-restricted-properties': [
    'error',
    {
      object: 'Math',
      property: 'random',
      message: 'Use src/random.ts: every choice comes from a named, seeded stream.',
    },
    { object: 'Date', property: 'now', message: 'Use src/clock.ts.' },
    { object: 'performance', property: 'now', message: 'Use src/clock.ts.' },
    { object: 'process', property: 'exit', message: 'Set process.exitCode in bin/; an abrupt exit skips healing.' },
    { object: 'process', property: 'env', message: 'Use src/environment.ts.' },
  ],
};

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'node_modules/**', 'runs/**', '.soundness/**', 'test/fixtures/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'always'],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only, so that a name is the same everywhere.' },
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      complexity: ['error', 12],
    },
  },
  { files: ['src/**/*.ts'], ignores: ['**/*.test.ts'], rules: noAmbient },
  {
    files: ['src/clock.ts', 'src/random.ts', 'src/environment.ts', 'src/embedded/**/main.ts', 'src/**/*-program.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  ...FOLDERS.map(folderRule),
  ...oneImporter,
  {
    files: LEAVES.map((leaf) => `src/${leaf}.ts`),
    ignores: ['src/checksum.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^\\.', message: 'A leaf file imports nothing of ours.' }] },
      ],
    },
  },
  {
    files: ['src/index.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^\\./(embedded|wire)/',
              message: 'The public API shows neither the wire table nor the embedded program.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['bin/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/src/(?!index\\.ts$)',
              message: 'bin/ imports src/index.ts only: a library user gets what the CLI gets.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['vitest.config.ts', 'vitest.judge-coverage.config.ts', 'vitest.systems.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
