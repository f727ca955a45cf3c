/**
 * Holds the packages to their one direction: each may import, and name in its package.json, only what
 * stands here, and every import must be named there.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { listFiles, readPackages, root, type Package } from './workspaces.ts'

const allowed: Record<string, string[]> = {
  core: ['zod'],
  express: ['@feed-receiver/core', 'express'],
  koa: ['@feed-receiver/core', 'koa'],
  fastify: ['@feed-receiver/core', 'fastify'],
  next: ['@feed-receiver/core', 'next'],
  client: ['@feed-receiver/core', '@modelcontextprotocol/client'],
  database: ['pg', 'postgres-array', '@electric-sql/pglite'],
  inbox: ['@feed-receiver/core', '@feed-receiver/database', '@opentelemetry/api', 'pg-boss'],
  console: ['@feed-receiver/inbox'],
  sender: ['@feed-receiver/core', 'ipaddr.js', 'undici'],
  cli: [
    '@feed-receiver/console',
    '@feed-receiver/core',
    '@feed-receiver/database',
    '@feed-receiver/inbox',
    '@feed-receiver/sandbox',
    '@feed-receiver/sender',
    'commander',
  ],
  sandbox: [
    '@feed-receiver/core',
    '@feed-receiver/database',
    '@feed-receiver/sender',
    '@modelcontextprotocol/server',
    'fastify',
    'zod',
  ],
  'create-feed-receiver': ['@clack/prompts', 'commander'],
}

const problems = [...readPackages()].flatMap(([name, one]) => [
  ...checkManifest(name, one),
  ...checkImports(one),
])
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log('Every import goes the one way.')

function checkManifest(name: string, one: Package): string[] {
  return named(one)
    .filter((dependency) => !allowed[name]?.includes(dependency))
    .map((dependency) => `packages/${name}/package.json may not name ${dependency}.`)
}

function checkImports(one: Package): string[] {
  return listFiles(join(one.folder, 'src'), isSource).flatMap((path) =>
    importsOf(path)
      .filter((imported) => !named(one).includes(imported) && imported !== one.manifest.name)
      .map(
        (imported) => `${relative(root, path)} imports ${imported}, which its package.json lacks.`,
      ),
  )
}

function isSource(path: string): boolean {
  return /\.tsx?$/.test(path) && !path.endsWith('.test.ts')
}

function named({ manifest }: Package): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

/** The packages that a file imports, Node's own left out. */
function importsOf(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  const specifiers = [...source.matchAll(/(?<![.\w])(?:from|import)\s*\(?\s*'([^'.][^']*)'/g)]
  return specifiers
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    )
}
