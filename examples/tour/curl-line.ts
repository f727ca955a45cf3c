import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixture } from '@feed-receiver/sender'
import { signatureHeader } from '@feed-receiver/core/internal'

const folder = '.feed-receiver/curl'
const renewEveryMs = 60_000

/**
 * Writes a signed delivery to two files, renews its signature every minute, and returns the command
 * that sends it.
 */
export async function keepCurlLine(url: string, secret: string): Promise<string> {
  const body = Buffer.from(JSON.stringify(fixture('model_release', { id: 'evt_tour_curl' })))
  const headers = join(folder, 'headers.txt')
  const event = join(folder, 'event.json')

  async function renew(): Promise<void> {
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    const signature = signatureHeader({ secret, timestampSeconds, body })
    await writeFile(headers, `Content-Type: application/json\nFeed-Signature: ${signature}\n`)
  }

  await mkdir(folder, { recursive: true })
  await writeFile(event, body)
  await renew()
  setInterval(() => void renew(), renewEveryMs).unref()
  return `curl -i ${url} -H @${headers} --data-binary @${event}`
}
