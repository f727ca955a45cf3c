import type { RenderedMail } from './render.ts'

/** Sends a mail. If it throws, it is called again later with the same `idempotencyKey`. */
export type SendMail = (mail: RenderedMail & { idempotencyKey: string }) => Promise<void>

const timeoutMs = 30_000

/** Posts the mail as JSON to `DIGEST_WEBHOOK_URL`. Without it, prints the Markdown. */
export function sendFromEnv({ DIGEST_WEBHOOK_URL: url }: NodeJS.ProcessEnv): SendMail {
  if (!url) return async ({ markdown }) => console.log(markdown)
  return async ({ idempotencyKey, ...mail }) => {
    const { ok, status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(mail),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!ok) throw new Error(`${new URL(url).host} answered ${status}.`)
  }
}
