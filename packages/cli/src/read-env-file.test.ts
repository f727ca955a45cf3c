import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createReceiver, fingerprintOf } from '@feed-receiver/core'
import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { fixture } from '@feed-receiver/sender'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { listen } from '../../../test/contract/listen.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'
import { startMain } from '../test/start-cli.ts'
import { commands } from './commands.ts'

const secret = 'feed_whsec_of_the_env_file_0123456789'
const event = fixture('destination_test')

/** A folder with the .env of an app in it. */
async function makeAppFolder(lines: Record<string, string>): Promise<string> {
  const cwd = await makeFolder()
  const text = Object.entries(lines).map(([name, value]) => `${name}="${value}"\n`)
  await writeFile(join(cwd, '.env'), text.join(''))
  await writeFile(join(cwd, 'event.json'), JSON.stringify(event))
  return cwd
}

/** The address of a receiver that accepts this secret. */
async function serveReceiver(): Promise<string> {
  const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
  const { port, close } = await listen(express().post('/feed', toExpress(receiver)))
  onTestFinished(close)
  return `http://127.0.0.1:${port}/feed`
}

describe('the .env of the current folder', () => {
  it.each([
    ['send', ['send', 'event.json', '--to']],
    ['replay', ['replay', 'event.json', '--to']],
    ['check', ['check']],
    ['doctor', ['doctor', '--url']],
  ])('supplies the secret of %s', async (_, args) => {
    const cwd = await makeAppFolder({ FEED_SIGNING_SECRET: secret })
    const run = await runMain([...args, await serveReceiver()], { cwd })
    expect(run).toMatchObject({ code: 0, stderr: '' })
  })

  it('supplies the secret of explain, also under another name', async () => {
    const cwd = await makeAppFolder({ FEED_SIGNING_SECRET: secret, OTHER: `${secret}_2` })
    for (const [name, signedWith] of [
      ['FEED_SIGNING_SECRET', secret],
      ['OTHER', `${secret}_2`],
    ] as const) {
      const { headers, body } = signDelivery(event, { secret: signedWith })
      const captured = { headers, bodyBase64: Buffer.from(body).toString('base64') }
      await writeFile(join(cwd, 'delivery.json'), JSON.stringify(captured))
      const run = await runMain(['explain', 'delivery.json', '--secret-env', name], { cwd })
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(`(${name},`) })
    }
  })

  it('supplies the database of the inbox commands, and both secrets', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const DATABASE_URL = app.databaseArguments[1] ?? ''
    const secrets = { FEED_SIGNING_SECRET: `${secret}_old`, FEED_SIGNING_SECRET_NEXT: secret }
    const cwd = await makeAppFolder({ ...secrets, DATABASE_URL })
    const named = ['--secret-env', 'FEED_SIGNING_SECRET_NEXT']
    const sent = await runMain(['send', 'event.json', '--to', app.url, ...named], { cwd })
    expect(sent).toMatchObject({ code: 0 })
    const { stdout } = await runMain(['inbox', 'secrets'], { cwd })
    expect(stdout).toMatch(new RegExp(`\\n${fingerprintOf(secret)} .* FEED_SIGNING_SECRET_NEXT\\n`))
  })

  it('supplies the token and the database of console', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const DATABASE_URL = app.databaseArguments[1] ?? ''
    const cwd = await makeAppFolder({ DATABASE_URL, TOKEN: 'a token of sixteen or more' })
    const running = startMain(['console', '--port', '0', '--token-env', 'TOKEN'], { cwd })
    await running.line(/^http:\S+:\d+\/$/)
    expect(await running.interrupt()).toBe(0)
  })

  it('is overridden by the environment, unless a variable is empty there', async () => {
    const cwd = await makeAppFolder({ FEED_SIGNING_SECRET: secret })
    const args = ['send', 'event.json', '--to', await serveReceiver()]
    const other = { FEED_SIGNING_SECRET: `${secret}_other` }
    expect(await runMain(args, { cwd, env: other })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('401'),
    })
    const empty = { FEED_SIGNING_SECRET: '' }
    expect(await runMain(args, { cwd, env: empty })).toMatchObject({ code: 0 })
  })

  it('may begin with a byte order mark, as editors of Windows write it', async () => {
    const cwd = await makeFolder()
    await writeFile(join(cwd, '.env'), `\uFEFFFEED_SIGNING_SECRET=${secret}\r\n`)
    await writeFile(join(cwd, 'event.json'), JSON.stringify(event))
    const run = await runMain(['send', 'event.json', '--to', await serveReceiver()], { cwd })
    expect(run).toMatchObject({ code: 0, stderr: '' })
  })

  it('is ignored if it is a folder or missing', async () => {
    const cwd = await makeFolder()
    const args = ['send', 'destination_test', '--to', 'http://127.0.0.1:9/']
    const expected = { code: 1, stderr: expect.stringMatching(/^error: [^\n]+or in \.\/\.env/) }
    expect(await runMain(args, { cwd })).toMatchObject(expected)
    await mkdir(join(cwd, '.env'))
    expect(await runMain(args, { cwd })).toMatchObject(expected)
  })

  it.each(commands.map(({ name }) => name))('is named by %s --help', async (name) => {
    const { stdout } = await runMain([...name.split(' '), '--help'])
    expect(stdout).toContain('from ./.env')
  })
})

describe('a wrong secret for sandbox --forward', () => {
  it.each([
    ['changeme', 'does not begin with feed_whsec_'],
    ['feed_whsec_', 'is only feed_whsec_'],
    [`${secret} `, 'has white space around it'],
  ])('is rejected as every receiver rejects it: %j', async (wrong, problem) => {
    const args = ['sandbox', '--port', '0', '--forward', 'http://127.0.0.1:9/feed']
    expect(await runMain(args, { env: { FEED_SIGNING_SECRET: wrong } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`FEED_SIGNING_SECRET ${problem}`),
    })
  })
})
