import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const templates = fileURLToPath(new URL('../templates/into', import.meta.url))

/** A folder with every file that --into adds, in each language and module format. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'added-code-'))
  cpSync(templates, join(folder, 'into'), { recursive: true })
  for (const framework of frameworks) {
    cpSync(join(templates, 'feed-handlers.ts'), join(folder, 'into', framework, 'feed-handlers.ts'))
  }
  symlinkSync(modules, join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const frameworks = ['express', 'koa', 'fastify', 'hono', 'nest-express', 'nest-fastify']

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'es2024.string'],
  types: ['node'],
  customConditions: ['@feed-receiver/source'],
  allowImportingTsExtensions: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  noEmit: true,
}

it.each(['module', 'commonjs'])('compiles in each framework, in a package of type %s', (type) => {
  write('package.json', { type })
  write('tsconfig.json', {
    compilerOptions: { ...compilerOptions, module: 'nodenext' },
    include: ['into/*/feed-route.ts'],
  })
  expect(run('typescript/bin/tsc', '-p', folder)).toEqual({ status: 0, stdout: '' })
})

it('has no findings of the usual rules', () => {
  write('.oxlintrc.json', {
    plugins: ['eslint', 'typescript', 'node', 'promise'],
    categories: { correctness: 'error' },
    rules: {
      'no-void': 'error',
      'no-use-before-define': ['error', { functions: false }],
      'node/no-process-env': 'error',
      'promise/always-return': 'error',
      'promise/catch-or-return': 'error',
      'typescript/no-floating-promises': 'error',
      'typescript/no-misused-promises': 'error',
      'typescript/no-confusing-void-expression': 'error',
      'typescript/no-non-null-assertion': 'error',
      'typescript/no-unnecessary-condition': 'error',
      'typescript/prefer-nullish-coalescing': 'error',
      'typescript/restrict-template-expressions': 'error',
    },
  })
  const files = join(folder, 'into') // without the packages, which are a link
  const config = join(folder, '.oxlintrc.json')
  const found = run('oxlint/bin/oxlint', '--type-aware', '-c', config, '-f', 'json', files)
  const count = readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.c?[jt]s$/.test(path),
  ).length
  expect(JSON.parse(found.stdout)).toMatchObject({ diagnostics: [], number_of_files: count })
})

function write(path: string, content: object): void {
  writeFileSync(join(folder, path), JSON.stringify(content))
}

function run(program: string, ...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [join(modules, program), ...args], {
    encoding: 'utf8',
    cwd: folder,
  })
  return { status, stdout }
}
