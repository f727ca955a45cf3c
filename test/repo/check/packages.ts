/** Packs every package as for publishing, and checks it with our rules, publint and attw. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findContentProblems } from './tarball-contents.ts'
import { readPackages, root, type Package } from './workspaces.ts'

const tools = join(root, 'test/support/tools/node_modules/.bin')
const tarballs = mkdtempSync(join(tmpdir(), 'feed-receiver-pack-'))

const packages = readPackages()
const folders = [...packages].map(([, { folder }]) => folder)
const printed = await run('npm', ['pack', '--json', '--pack-destination', tarballs, ...folders])
const packed = JSON.parse(printed) as Packed[]
for (const [name, found] of packages) await check(name, found)
rmSync(tarballs, { recursive: true })

interface Packed {
  name: string
  filename: string
  files: { path: string }[]
}

async function check(name: string, { folder, manifest }: Package): Promise<void> {
  const { filename, files } =
    packed.find((one) => one.name === manifest.name) ?? fail(`npm pack left out ${name}`)
  const tarball = join(tarballs, filename)
  await Promise.all([
    run(join(tools, 'publint'), ['run', '--strict', tarball]),
    run(join(tools, 'attw'), [tarball]),
  ])
  const problems = findContentProblems(
    folder,
    files.map(({ path }) => path),
  )
  if (problems.length > 0) fail(`${name}: ${problems.join(`\n${name}: `)}`)
  console.log(`${name}: ${files.length} files, ready to publish`)
}

async function run(command: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd: root, maxBuffer: 2 ** 24 })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return fail(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
