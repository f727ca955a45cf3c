import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintOf } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { runMain } from '../test/run-main.ts'

const secret = 'feed_whsec_explaintest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }
const { headers, body } = signDelivery(fixture('outage_started'), { secret })
const signature = headers['feed-signature'] ?? ''

/** Writes one delivery in every form to a new folder. */
async function capture(): Promise<string> {
  const folder = await makeFolder()
  const text = Buffer.from(body).toString()
  const files = {
    'text.json': JSON.stringify({ headers, body: text }),
    'base64.json': JSON.stringify({ headers, bodyBase64: Buffer.from(body).toString('base64') }),
    'parsed.json': JSON.stringify({ headers, body: JSON.parse(text) }),
    'changed.json': JSON.stringify({ headers, body: JSON.stringify(JSON.parse(text), null, 2) }),
    'bare.json': JSON.stringify({ headers: {}, body: text }),
    'body.bin': text,
    'headers.txt': `> POST /feed HTTP/1.1\n> Feed-Signature: ${signature}\n> Host: x\n`,
    'headers.json': JSON.stringify([['Feed-Signature', signature]]),
    'secrets.txt': `feed_whsec_older00000000000000000000\n${secret}\n`,
  }
  for (const [name, contents] of Object.entries(files)) {
    await writeFile(join(folder, name), contents)
  }
  return folder
}

describe('explain', () => {
  it('reads a delivery in every form', async () => {
    const cwd = await capture()
    for (const args of [
      ['text.json'],
      ['base64.json'],
      ['parsed.json'],
      ['body.bin', '--signature', signature],
      ['body.bin', '--headers-file', 'headers.txt'],
      ['body.bin', '--headers-file=headers.json'],
      ['text.json', '--secret-file', 'secrets.txt'],
    ]) {
      const run = await runMain(['explain', ...args], { env, cwd })
      expect(run).toMatchObject({ code: 0, stderr: '' })
      expect(run.stdout).toContain('The signature is valid (')
      expect(run.stdout).toContain(fingerprintOf(secret))
    }
  })

  it('names the cause and the fix, and prints no secret or signature', async () => {
    const cwd = await capture()
    const run = await runMain(['explain', 'changed.json'], { env, cwd })
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(
      /^body_json_rewritten: .*\n {2}Verify the signature over the raw body/,
    )
    const json = await runMain(['explain', 'changed.json', '--json'], { env, cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({
      holds: false,
      causes: [{ code: 'body_json_rewritten' }],
      secret: { name: 'FEED_SIGNING_SECRET' },
    })
    const hex = signature.slice(-64)
    for (const text of [run.stdout, run.stderr, json.stdout]) expect(text).not.toContain(hex)
  })

  it('tries several secrets, also with white space around them', async () => {
    const cwd = await capture()
    const other = { OLD: 'feed_whsec_older00000000000000000000', NEW: `${secret} ` }
    const args = ['explain', 'text.json', '--secret-env', 'OLD', '--secret-env', 'NEW']
    const run = await runMain(args, { env: other, cwd })
    expect(run.stdout).toMatch(/^secret_white_space: /)
    expect(run.stdout).toContain('NEW, fingerprint')
  })

  it('checks the timestamp if the time of receipt is known', async () => {
    const cwd = await capture()
    const run = await runMain(['explain', 'text.json', '--received-at', '2020-01-01'], { env, cwd })
    expect(run.stdout).toMatch(/^outside_window: /)
  })

  it.each([
    ['a body without a signature', ['body.bin'], 2, /has no headers/],
    ['a delivery without a signature', ['bare.json'], 2, /has no headers/],
    ['a missing file', ['gone.json'], 2, /gone\.json cannot be read/],
    [
      'a file without headers',
      ['body.bin', '--headers-file', 'secrets.txt'],
      1,
      /contains no headers/,
    ],
    [
      'a missing file of headers',
      ['body.bin', '--headers-file', 'gone.txt'],
      2,
      /gone\.txt cannot/,
    ],
    [
      'a missing file of secrets',
      ['text.json', '--secret-file', 'gone.txt'],
      2,
      /gone\.txt cannot/,
    ],
    ['an unset secret', ['text.json', '--secret-env', 'NONE'], 1, /NONE is not set/],
  ])('reports %s in one line', async (_, args, code, message) => {
    const folder = await capture()
    const paths = args.map((arg) => (/\.\w+$/.test(arg) ? join(folder, arg) : arg))
    const run = await runMain(['explain', ...paths], { env })
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })
})
