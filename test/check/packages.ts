/** Packs every package as it would be published; looks into it, and has publint and attw look too. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findContentProblems } from './tarball-contents.ts'
import { readPackages, root } from './workspaces.ts'

const tools = join(root, 'test/tools/node_modules/.bin')
const tarballs = mkdtempSync(join(tmpdir(), 'feed-receiver-pack-'))

for (const [name, { folder }] of readPackages()) {
  const printed = run('npm', ['pack', '--json', '--pack-destination', tarballs], folder)
  const [{ filename, files }] = JSON.parse(printed) as [Packed]
  const tarball = join(tarballs, filename)
  run(join(tools, 'publint'), ['run', '--strict', tarball], root)
  run(join(tools, 'attw'), ['--profile', 'esm-only', tarball], root)
  const problems = findContentProblems(
    folder,
    files.map(({ path }) => path),
  )
  if (problems.length > 0) fail(`${name}: ${problems.join(`\n${name}: `)}`)
  console.log(`${name}: ${files.length} files, ready to publish`)
}
rmSync(tarballs, { recursive: true })

interface Packed {
  filename: string
  files: { path: string }[]
}

function run(command: string, args: string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return fail(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
