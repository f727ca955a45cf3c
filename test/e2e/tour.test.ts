import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChild, type Child } from '../support/child.ts'
import { consoleClient } from '../support/console-client.ts'
import { copyEmbedded } from '../support/embedded-templates.ts'
import { makeFolder } from './start-example.ts'

describe('the tour', { timeout: 240_000 }, () => {
  it('ends by itself with --once, and every count is what it must be', async () => {
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
  })

  it('goes on without it, and ends its output with a link into the console', async () => {
    const folder = await makeFolder()
    for (const name of ['tour', 'tour-sandbox']) {
      await copyEmbedded(join(folder, '.feed-receiver', name), 'nothing')
    }
    const tour = startTour(folder)
    const link = (await readUntil(tour, /\/console\/#/)).at(-1)?.trim() ?? ''
    const url = new URL(link)
    const given = new URLSearchParams(url.hash.slice(1))
    const client = consoleClient(url)
    expect((await client.get('entries')).status).toBe(401)
    await client.login(given.get('token') ?? '', given.get('name') ?? '')
    const { body } = await client.get('entries?search=evt_tour_outage')
    expect(body).toMatchObject({ entries: [{ eventId: 'evt_tour_outage', state: 'done' }] })
    tour.kill('SIGTERM')
    expect(await tour.ended).toBe(0)
    await expect(tour.nextLine()).rejects.toThrow('ended')
  })
})

function startTour(folder: string, ...args: string[]): Child {
  const program = new URL('../../examples/tour/tour.ts', import.meta.url)
  const tour = startChild(program, args, folder)
  onTestFinished(() => tour.kill('SIGKILL'))
  return tour
}

/** The lines that it prints, up to the first of this form. */
async function readUntil(tour: Child, form: RegExp): Promise<string[]> {
  const lines: string[] = []
  while (!form.test(lines.at(-1) ?? '')) lines.push(await tour.nextLine())
  return lines
}
