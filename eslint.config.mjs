import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Tests may use what only tests have: other packages, child processes, the wall clock. */
const testFiles = ['**/*.spec.ts', '**/*.fixture.ts'];

const shared = ['type:platform', 'type:contracts', 'type:domain'];
const everyLib = ['type:files', ...shared];
const boundaries = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: everyLib },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: shared },
  // Formats of files, without HTTP and database.
  { sourceTag: 'type:files', onlyDependOnLibsWithTags: ['type:contracts', 'type:domain'] },
  { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:client', ...everyLib] },
  // The client of buyers needs nothing else of ours.
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:standalone', onlyDependOnLibsWithTags: ['type:app', 'type:tool', 'type:client', ...everyLib] },
  {
    sourceTag: 'type:bench',
    onlyDependOnLibsWithTags: ['type:app', 'type:bench', 'type:standalone', 'type:tool', ...everyLib],
  },
  {
    sourceTag: 'type:contracts',
    onlyDependOnLibsWithTags: ['type:domain'],
    allowedExternalImports: [
      'class-validator',
      'class-transformer',
      'class-validator-jsonschema',
      'class-validator-jsonschema/build/*',
    ],
  },
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:domain'], allowedExternalImports: [] },
];

/** Folders of each app, the lowest first: a folder imports only from those before it. */
const layers = {
  'agent-gateway': [
    ...[
      'config',
      'metrics',
      'documentation',
      'calls',
      'offers',
      'facilitator',
      'ledger',
      'limits',
      'receipts',
      'credits',
    ],
    ...['payments', 'recovery', 'operations', 'pricing', 'mcp', 'openapi', 'discovery'],
  ],
  reporting: [...['operator-access', 'projection', 'revenue', 'dashboard', 'openapi']],
  accounts: [
    ...[
      'entitlements',
      'users',
      'security',
      'mails',
      'sessions',
      'sign-in',
      'mail-links',
      'habits',
      'logs',
      'analysis',
    ],
    ...['transfer', 'account', 'operations', 'openapi'],
  ],
  billing: [
    ...['remote-sign-in', 'provider', 'plans', 'people', 'invoices', 'subscriptions', 'webhooks', 'reads', 'state'],
    'checkout',
    ...['leaving', 'reconciliation', 'operations', 'openapi'],
  ],
};

function layerRules(app, folders) {
  return folders.slice(0, -1).map((folder, index) => {
    const above = folders.slice(index + 1);
    const message = `${folder}/ is below ${above.join(', ')}: move what both need further down.`;
    const patterns = [{ regex: `^(\\.\\./)+(${above.join('|')})(/|$)`, message }];
    return {
      files: [`apps/${app}/src/${folder}/**/*.ts`],
      ignores: testFiles,
      rules: { 'no-restricted-imports': ['error', { patterns }] },
    };
  });
}

const namedExports = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name: one thing has one name everywhere.' },
  { selector: 'ExportAllDeclaration', message: 'Export by name: what * passes on is looked up again for every call.' },
];
const environment = {
  selector: 'MemberExpression[object.name="process"][property.name="env"]',
  message: 'Read the environment in the config class of the app, once.',
};
const presentTime = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'Ask the Clock.' },
  { selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]', message: 'Ask the Clock.' },
];

export default tseslint.config(
  { ignores: ['**/dist', '**/coverage', '**/generated', '.nx', '.data'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    // One program for what is linted: of the workspace from the root, of one project in its folder. A third of the time
    // of a program per project.
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: process.cwd() } },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', 300],
      'no-restricted-syntax': ['error', ...namedExports],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An async method states its contract, whether or not today's body waits.
      '@typescript-eslint/require-await': 'off',
      // The APIs of decorators call every class a Function.
      '@typescript-eslint/no-unsafe-function-type': 'off',
    },
  },
  {
    files: ['**/*.ts'],
    ignores: testFiles,
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        // Nothing is bundled: a project that somebody loads later may be imported by others at once.
        { depConstraints: boundaries, checkDynamicDependenciesExceptions: ['.*'] },
      ],
    },
  },
  {
    files: ['{apps,libs,tools}/**/*.ts', 'bench/**/*.ts'],
    ignores: [...testFiles, '**/*.config.ts', '**/{main,worker,migrate}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...namedExports, environment] },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: [...testFiles, '**/*.config.ts', '**/{main,worker,migrate}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...namedExports, environment, ...presentTime] },
  },
  {
    // The engine: the same numbers for the same input, wherever and whenever it runs.
    files: ['libs/scoring/**/*.ts'],
    ignores: testFiles,
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ group: ['node:*'], message: 'The engine touches nothing.' }] }],
      'no-restricted-globals': ['error', 'process', 'Date', 'performance', 'crypto', 'setTimeout', 'fetch'],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  ...Object.entries(layers).flatMap(([app, folders]) => layerRules(app, folders)),
  {
    files: testFiles,
    rules: {
      // Matchers such as expect.any() are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Jest asks for default exports; the address of the test server goes through the environment.
    files: ['tools/services/src/jest/*.ts', 'libs/platform/src/testing/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
