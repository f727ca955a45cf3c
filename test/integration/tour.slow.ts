import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import { copyEmbedded } from '../support/templates.ts'
import { makeFolder } from './start-example.ts'
import { freePort } from '../support/free-port.ts'

describe('the tour', { timeout: 240_000 }, () => {
  it('exits after --once with correct counts', async () => {
    const tour = startTour(await makeFolder(), '--once')
    const lines = await readUntil(tour, /rows written by the handler$/)
    expect(await tour.ended).toBe(0)
    const published = lines.filter((line) =>
      /^evt_\w+ +\w+ +2 +202 200 +done +wrote row/.test(line),
    )
    expect(published).toHaveLength(21)
    expect(lines).toContainEqual(expect.stringMatching(/^evt_tour_outage .* 503 503 202 +done /))
    expect(lines).toContainEqual(expect.stringMatching(/^evt_tour_changed_byte .* 401 +not stored/))
    expect(lines).toContainEqual(expect.stringMatching(/^evt_tour_schema_2 .* 202 +quarantine/))
    expect(lines.join('\n')).not.toContain('must be')
    const [first = '', second = ''] =
      tour.printed.match(/On purpose: .*|FeedReceiverWarning/g) ?? []
    expect([first, second]).toEqual([
      expect.stringMatching(/^On purpose: two forged deliveries/),
      'FeedReceiverWarning',
    ])
    expect(tour.printed).toMatch(/On purpose: the inbox is down[^]*\(store_failed\)/)
  })

  it('continues without --once, after a link to the page of every event', async () => {
    process.env.PORT = String(await freePort())
    const folder = await makeFolder()
    for (const name of ['tour', 'tour-sandbox']) {
      await copyEmbedded(join(folder, '.feed-receiver', name), 'nothing')
    }
    const tour = startTour(folder)
    const lines = await readUntil(tour, /\/_sandbox\/open\?session=/)
    expect(lines).toContain(`Receiving on http://127.0.0.1:${process.env.PORT}/webhooks/feed`)
    const url = new URL(lines.at(-1)?.trim() ?? '')
    const entries = new URL('inbox/api/entries?search=evt_tour_outage', url)
    expect((await fetch(entries)).status).toBe(401)
    const authorization = `Bearer ${url.searchParams.get('session')}`
    const answer = await fetch(entries, { headers: { authorization } })
    expect(await answer.json()).toMatchObject({
      entries: [{ eventId: 'evt_tour_outage', state: 'done' }],
    })
    const page = await fetch(new URL('./', url), { headers: { authorization } })
    expect(await page.text()).toContain('data-inbox="inbox/"')
    tour.kill('SIGTERM')
    expect(await tour.ended).toBe(0)
    await expect(tour.nextLine()).rejects.toThrow('ended')
  })
})

describe('npm start', () => {
  it.each(['--help', '-h'])('prints its usage with %s and delivers nothing', async (flag) => {
    const { code, stdout, stderr } = await runStart(flag)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^npm start \[-- --once\]\n[^]*--once .*\n.*--help/)
    expect(stdout).not.toContain('Receiving')
  })

  it.each(['--onec', '--once=yes', '-x', 'once'])('rejects %s with one sentence', async (arg) => {
    const { code, stdout, stderr } = await runStart(arg)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\. See: npm start -- --help\n$/)
  })
})

/** Runs the command of `npm start` to its end. */
async function runStart(...args: string[]) {
  const start = fileURLToPath(new URL('../../examples/tour/start.mjs', import.meta.url))
  const running = promisify(execFile)(process.execPath, [start, ...args], { timeout: 60_000 })
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

function startTour(folder: string, ...args: string[]): RunningProgram {
  const program = new URL('../../examples/tour/tour.ts', import.meta.url)
  const tour = startProgram(program, args, { cwd: folder })
  onTestFinished(() => tour.kill('SIGKILL'))
  return tour
}

/** The lines that it prints, up to the first match. */
async function readUntil(tour: RunningProgram, form: RegExp): Promise<string[]> {
  const lines: string[] = []
  while (!form.test(lines.at(-1) ?? '')) lines.push(await tour.nextLine())
  return lines
}
