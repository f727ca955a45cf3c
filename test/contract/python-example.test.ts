import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { secret } from './harness.ts'
import { headerVectors } from './vectors/read-vectors.ts'

const folder = new URL('../../examples/python-receiver/', import.meta.url).pathname
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Prints for each header whether the example accepts it. */
const script = `
import json, sys
from signature import Forged, verify
body, secret, headers = json.loads(sys.argv[1])
def accepts(header):
    try:
        verify([header], body.encode(), [secret])
        return True
    except Forged:
        return False
print(json.dumps([accepts(header) for header in headers]))`

describe.skipIf(!hasPython)('the example in Python', () => {
  const body = '{"id":"evt_python"}'
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const vectors = headerVectors({ secret, timestampSeconds, body: Buffer.from(body) })

  it.each([
    ['accepts', true, vectors.accepted],
    ['rejects', false, vectors.malformed],
  ])('%s the same signature headers as the kit', (_, isAccepted, given) => {
    const args = JSON.stringify([body, secret, given.map(({ header }) => header)])
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
    const printed = execFileSync('python3', ['-c', script, args], { cwd: folder, env })
    const answers: unknown[] = JSON.parse(String(printed))
    expect(given.filter((_vector, index) => answers[index] !== isAccepted)).toEqual([])
    expect(answers).toHaveLength(given.length)
  })
})
