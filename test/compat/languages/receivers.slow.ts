import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckReport } from '../../../packages/cli/src/conformance/check/run-checks.ts'
import { runMain } from '../../../packages/cli/test/run-main.ts'
import { repository } from '../../support/built-program.ts'
import { runTool, secrets, startReceiver, type Example, type Mistake } from './start-receiver.ts'

const python: Example = {
  folder: 'python-receiver',
  debianPackage: 'python3',
  prepare: [],
  start: ['python3', 'receiver.py'],
}
const go: Example = {
  folder: 'go-receiver',
  debianPackage: 'golang-go',
  prepare: [
    ['go', 'vet', './...'],
    ['go', 'build', '-o', 'receiver', '.'],
  ],
  start: ['./receiver'],
}

/** Each example, and mistakes that a run has to find in it. */
const examples: [name: string, example: Example, mistakes: (Mistake & { finds: Finds })[]][] = [
  [
    'Python',
    python,
    [
      {
        file: 'signature.py',
        right: 'abs(time.time() - int(signed_at))',
        wrong: '(time.time() - int(signed_at))',
        finds: { failed: ['future'], warning: [] },
      },
      {
        file: 'store.py',
        right: 'values (?, ?, ?) on conflict do nothing',
        wrong: 'values (?, ?, ?)',
        finds: {
          failed: ['duplicates_in_turn', 'duplicates_at_once', 'restart'],
          warning: ['same_id_other_bytes'],
        },
      },
    ],
  ],
  [
    'Go',
    go,
    [
      {
        file: 'journal.go',
        right: 'readRecords(file, j.remember)',
        wrong: 'readRecords(file, func(record) {})',
        finds: { failed: ['stored_once_after_restart'], warning: [] },
      },
      {
        file: 'main.go',
        right: 'return secrets, nil',
        wrong: 'return secrets[:1], nil',
        finds: { failed: ['rotation'], warning: [] },
      },
    ],
  ],
]

interface Finds {
  failed: string[]
  warning: string[]
}

describe.each(examples)('the receiver in %s', (name, example, mistakes) => {
  it('passes every check', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-reports-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const junit = join(folder, 'check.xml')
    const { code, stdout, stderr } = await checkReceiver(example, undefined, ['--junit', junit])
    console.log(`${name}: ${stdout.slice(stdout.indexOf('Score: '))}`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Score: 100 of 100')
    const [, passed = ''] =
      /^(\d+) passed, 0 with a warning, 0 failed, 0 not run$/m.exec(stdout) ?? []
    expect(await readJunit(junit)).toEqual({ tests: passed, failures: '0', skipped: '0' })
  })

  it.each(mistakes)('fails a check after this mistake in $file: $wrong', async (mistake) => {
    const { code, stdout } = await checkReceiver(example, mistake, ['--json'])
    const { results } = JSON.parse(stdout) as CheckReport
    const namesOf = (outcome: string) =>
      results.filter((result) => result.outcome === outcome).map((result) => result.name)
    expect({ failed: namesOf('failed'), warning: namesOf('warning') }).toEqual(mistake.finds)
    expect(code).toBe(1)
  })
})

it('the Go example is formatted, and its journal survives a crash', async () => {
  const folder = join(repository, 'examples/go-receiver')
  expect(await runTool(go, 'gofmt', ['-l', '.'], folder)).toBe('')
  expect(await runTool(go, 'go', ['test', './...'], folder)).toMatch(/^ok /)
})

async function checkReceiver(example: Example, mistake: Mistake | undefined, more: string[]) {
  const { url, restartCommand, countCommand } = await startReceiver(example, mistake)
  const enabling = ['--second-secret-env', 'FEED_SIGNING_SECRET_NEXT']
  const commands = ['--restart-command', restartCommand, '--count-command', countCommand]
  return await runMain(['check', url, ...enabling, ...commands, ...more], { env: secrets })
}

/** Read by an XML parser of somebody else, which Python has. */
async function readJunit(file: string): Promise<Record<string, string>> {
  const script = `
import json, sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
print(json.dumps({name: suite.get(name) for name in ("tests", "failures", "skipped")}))`
  return JSON.parse(await runTool(python, 'python3', ['-c', script, file], tmpdir()))
}
