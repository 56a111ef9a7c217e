import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const failing = 'error';

export default tseslint.config(
  { ignores: ['dist/', 'dist-app/', 'coverage/', 'node_modules/', 'test/support/sample/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: failing },
    rules: {
      eqeqeq: failing,
      'no-console': failing,
      'no-fallthrough': failing,
      'max-lines': [failing, { max: 300 }],
      // The compiler forces `import type` (verbatimModuleSyntax); this rule adds the fix. It stands aside in files
      // with decorators, where a class used as a constructor type must stay a value for Nest's injection.
      '@typescript-eslint/consistent-type-imports': [failing, { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': failing,
      '@typescript-eslint/no-floating-promises': failing,
      '@typescript-eslint/no-misused-promises': failing,
      '@typescript-eslint/no-non-null-assertion': failing,
      '@typescript-eslint/no-unused-vars': [
        failing,
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/only-throw-error': failing,
      '@typescript-eslint/prefer-readonly': failing,
      '@typescript-eslint/return-await': failing,
      '@typescript-eslint/switch-exhaustiveness-check': [failing, { considerDefaultExhaustiveForUnions: true }],
      // Ports are asynchronous by contract, also where one implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      // Empty classes are how Nest modules and injection tokens are written.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['libs/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        failing,
        {
          patterns: [
            {
              group: ['nest-gatehouse', 'nest-gatehouse/*'],
              message: 'The library reaches its own files by relative path.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    // The stores, and what only a crash shows, are also proved from inside.
    ignores: ['test/persistence/**', 'test/runs/**', 'test/audit/**', 'test/bench/audit.*', 'test/bench/pages.*'],
    rules: {
      'no-restricted-imports': [
        failing,
        {
          patterns: [
            {
              group: ['**/libs/gatehouse/**', '**/migrations/*'],
              message: "Import the library by its name: 'nest-gatehouse'.",
            },
          ],
        },
      ],
    },
  },
  {
    files: [
      'src/{main,worker,demo}.ts',
      'src/starting/end.with.ts',
      'test/bench/**/*.ts',
      'libs/gatehouse-cli/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**/*.ts'],
    rules: {
      // supertest bodies and JSON fixtures are untyped by nature; the assertions are what types them.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  prettier,
);
