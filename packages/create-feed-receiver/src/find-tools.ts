import { readdirSync } from 'node:fs'
import type { PackageManager } from './context.ts'
import type { FoundApp } from './find-app.ts'
import { foldersToRoot } from './folders.ts'
import { commands } from './package-manager.ts'
import { packagesIn, versionsIn } from './manifest.ts'

interface Tool {
  package: string
  /** Its configuration files. */
  config?: RegExp
  /** Corrects the files that are passed to it. */
  command: string
}

/** Formatters come before linters, whose corrections are last. */
const correctors: Tool[] = [
  { package: '@biomejs/biome', config: /^\.?biome\.jsonc?$/, command: 'biome check --write' },
  {
    package: 'prettier',
    config: /^(?:\.prettierrc|prettier\.config\.)/,
    command: 'prettier --write',
  },
  { package: 'dprint', config: /^\.?dprint\.jsonc?$/, command: 'dprint fmt' },
  { package: 'oxfmt', config: /^\.oxfmtrc/, command: 'oxfmt' },
  { package: 'oxlint', config: /^\.oxlintrc/, command: 'oxlint --fix' },
  { package: 'eslint', config: /^(?:\.eslintrc|eslint\.config\.)/, command: 'eslint --fix' },
  { package: 'standard', command: 'standard --fix' },
  { package: 'xo', command: 'xo --fix' },
]

/**
 * The command with which the formatters and linters of an app correct some of its files; undefined
 * if it has none. Those of a monorepo may be in a folder above.
 */
export function findCorrection(
  folder: string,
  { manifest }: FoundApp,
  packageManager: PackageManager,
  paths: readonly string[],
): string | undefined {
  const packages = packagesIn(manifest)
  const files = foldersToRoot(folder).flatMap((one) => readdirSync(one))
  const used = correctors
    .filter((tool) => packages.has(tool.package) || files.some((file) => tool.config?.test(file)))
    // Its plugin formats with it.
    .filter((tool) => tool.package !== 'prettier' || !packages.has('eslint-plugin-prettier'))
  if (used.length === 0) return undefined
  return used
    .map(({ command }) => `${commands[packageManager].exec} ${command} ${paths.join(' ')}`)
    .join(' && ')
}

/** The test runners, by what a script or a development dependency calls them. */
const testRunners = [
  ['Vitest', /\bvitest\b/],
  ['Jest', /\bjest\b/],
  ['Mocha', /\bmocha\b/],
  ['AVA', /\bava\b/],
  ['tap', /^tap$|\btap /m],
  ['the runner of Node', /\bnode\b.* --test\b/],
] as const

/** The name of the app's test runner, for a person. */
export function findTestRunner({ manifest }: FoundApp): string | undefined {
  const scripts = Object.values(versionsIn(manifest, 'scripts'))
  const texts = [...scripts, ...packagesIn(manifest).keys()].join('\n')
  return testRunners.find(([, form]) => form.test(texts))?.[0]
}
