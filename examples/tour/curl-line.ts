import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'

const folder = '.feed-receiver/curl'
const renewEveryMs = 60_000

/**
 * Writes a signed delivery to two files, renews its signature every minute, and returns the command
 * that sends it.
 */
export async function keepCurlLine(url: string, secret: string): Promise<string> {
  const event = fixture('model_release', { id: 'evt_tour_curl' })
  const headersFile = join(folder, 'headers.txt')
  const bodyFile = join(folder, 'event.json')

  async function renew(): Promise<void> {
    const { headers, body } = signDelivery(event, { secret })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
    await writeFile(bodyFile, body)
    await writeFile(headersFile, lines.join(''))
  }

  await mkdir(folder, { recursive: true })
  await renew()
  setInterval(() => void renew(), renewEveryMs).unref()
  return `curl -i ${url} -H @${headersFile} --data-binary @${bodyFile}`
}
