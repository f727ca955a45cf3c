import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { mustRun } from '../../support/run-command.ts'

export interface Image {
  /** The files of the last stage, in its WORKDIR. */
  folder: string
  env: Record<string, string>
  command: string[]
}

/**
 * Runs a Dockerfile without Docker: each stage is a folder, in which RUN runs. Ignores base images,
 * USER, EXPOSE and comments.
 */
export async function runDockerfile(
  source: string,
  stages: string,
  env: NodeJS.ProcessEnv,
): Promise<Image> {
  const named = new Map<string, string>()
  let image: Image = { folder: '', env: {}, command: [] }
  for (const line of readFileSync(join(source, 'Dockerfile'), 'utf8').split('\n')) {
    const [word = '', ...rest] = line.split(' ')
    if (word === 'FROM') {
      image = { folder: join(stages, String(named.size)), env: {}, command: [] }
      named.set(rest[2] ?? String(named.size), image.folder)
      mkdirSync(image.folder, { recursive: true })
    } else if (word === 'COPY') copy(rest, source, named, image.folder)
    else if (word === 'RUN') {
      await mustRun('sh', ['-c', rest.join(' ')], {
        cwd: image.folder,
        env: { ...env, ...image.env },
      })
    } else if (word === 'ENV') {
      for (const [name = '', value = ''] of rest.map((pair) => pair.split('='))) {
        image.env[name] = value
      }
    } else if (word === 'CMD') image.command = JSON.parse(rest.join(' ')) as string[]
    else if (!['', '#', 'WORKDIR', 'USER', 'EXPOSE'].includes(word)) {
      throw new Error(`${word} is not supported here in a Dockerfile.`)
    }
  }
  return image
}

function copy(args: string[], source: string, named: Map<string, string>, folder: string): void {
  const stage = args[0]?.startsWith('--from=') ? args.shift()?.slice('--from='.length) : undefined
  const from = stage === undefined ? source : (named.get(stage) ?? '')
  const target = join(folder, args.pop() ?? '')
  for (const written of args) {
    const path = stage === undefined ? written : written.replace(/^\/app\//, '')
    if (path === '.') copyAll(from, target)
    else if (path.endsWith('*')) copyMatching(from, path, target)
    else {
      const isFolder = readdirSync(from, { withFileTypes: true }).some(
        (entry) => entry.name === path && entry.isDirectory(),
      )
      cpSync(join(from, path), isFolder ? target : join(target, basename(path)), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
}

function copyAll(from: string, target: string): void {
  const ignored = readFileSync(join(from, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  for (const name of readdirSync(from).filter((one) => !ignored.includes(one))) {
    cpSync(join(from, name), join(target, name), { recursive: true })
  }
}

function copyMatching(from: string, pattern: string, target: string): void {
  const folder = join(from, dirname(pattern))
  const start = basename(pattern).slice(0, -1)
  for (const name of readdirSync(folder).filter((one) => one.startsWith(start))) {
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(target, name))
  }
}
