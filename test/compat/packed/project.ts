import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { mustRun, runCommand, type Outcome } from '../../support/run-command.ts'

export interface ProjectOptions {
  type: 'module' | 'commonjs'
  /** Packages of ours, by folder, whose tarballs are installed. */
  packages: string[]
  /** Other packages to install, as arguments of npm: `express@^5`. */
  others?: string[]
  /** Options of `npm install`. */
  installOptions?: string[]
  /** Files of the project, by path, with their contents. */
  files?: Record<string, string>
}

export interface Project {
  readonly folder: string
  run(command: string, ...args: string[]): Promise<Outcome>
  /** The names of all installed packages. Throws if npm reports an invalid tree. */
  installed(): Promise<string[]>
}

/** Creates a project for the surrounding describe block. It stays if one of its tests fails. */
export function useProject(name: string, options: ProjectOptions): Project {
  const folder = join(inject('projectsFolder'), name)
  let isKept = true
  beforeAll(async () => {
    await create(folder, options)
    isKept = false
  })
  afterEach(({ task }) => {
    isKept ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    if (!isKept) await rm(folder, { recursive: true })
  })

  return {
    folder,
    run: (command, ...args) => runCommand(command, args, { cwd: folder }),
    async installed() {
      const [, ...paths] = (await mustRun('npm', ['ls', '--all', '--parseable'], { cwd: folder }))
        .trim()
        .split('\n')
      return paths.map((path) => path.replace(/^.*node_modules\//, '')).toSorted()
    },
  }
}

/** A program of `programs/` to use as a file of a project. */
export function readProgram(name: string): string {
  return readFileSync(new URL(`programs/${name}`, import.meta.url), 'utf8')
}

// Our packages must not come from a registry, whoever owns their names. Nobody listens on that
// port, and the retry is quick.
const npmrc = [
  '@feed-receiver:registry=http://127.0.0.1:9',
  'fetch-retry-mintimeout=500',
  'fetch-retry-maxtimeout=2000',
].join('\n')

async function create(
  folder: string,
  { type, packages, others = [], installOptions = [], files = {} }: ProjectOptions,
): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type }))
  await writeFile(join(folder, '.npmrc'), npmrc)
  for (const [path, contents] of Object.entries(files)) {
    await writeFile(join(folder, path), contents)
  }
  const tarballs = packages.map(tarballOf)
  const quick = ['--prefer-offline', '--no-audit', '--no-fund']
  await mustRun('npm', ['install', ...quick, ...installOptions, ...tarballs, ...others], {
    cwd: folder,
  })
}

function tarballOf(name: string): string {
  const tarball = inject('tarballs')[name]
  if (tarball === undefined) throw new Error(`There is no packages/${name}`)
  return tarball
}
