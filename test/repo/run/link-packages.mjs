// Gives a copy of the repository the installed packages, with the packages of the repository from
// the copy and not from where they are linked to. Its argument is the root to copy from.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(process.argv[2])
const own = (await readdir('packages')).map((name) => join('packages', name))
for (const folder of ['', ...own]) {
  const installed = join(root, folder, 'node_modules')
  if (existsSync(installed)) await link(installed, join(folder, 'node_modules'))
}

async function link(from, to) {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.name === '@feed-receiver') await link(source, target)
    else await symlink(entry.isSymbolicLink() ? await readlink(source) : source, target)
  }
}
