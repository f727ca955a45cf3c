import { spawn } from 'node:child_process'
import { root } from './install.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

// The form of a signing secret and of an API key of the feed, from any source.
const secretForm = /feed_(?:whsec|live|session)_[\w-]{12,}/i

/**
 * Runs a command to its end with its output shown, and returns its exit code; 1 if a secret or a
 * key was in the output. A failed test shows its own code, which may contain one, and fails anyway.
 */
export async function runWithoutSecrets(command, args) {
  const hasColors = process.stdout.isTTY
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...temporaryFolder(), ...(hasColors && { FORCE_COLOR: '1' }) },
  })
  let isShown = false
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    let rest = ''
    from.setEncoding('utf8').on('data', (text) => {
      to.write(text)
      const lines = (rest + text).split('\n')
      rest = lines.at(-1) ?? ''
      isShown ||= lines.some((line) => secretForm.test(line))
    })
  }
  const code = await new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)))
  if (!isShown) return code
  console.error('A secret or a key was printed above: see which test prints it, and why.')
  return 1
}
