import { codeOf, isError } from '@feed-receiver/core/internal'
import { checkOption, OperateError } from '../errors.ts'
import type { Alert, Notify } from './send-notifications.ts'
import { describeDuration, nameOf } from './to-stderr.ts'

export interface WebhookOptions {
  /** Headers of each request, such as an `authorization` header. */
  headers?: Readonly<Record<string, string>> | undefined
  /**
   * Sends the request, for example through a proxy.
   * @default the global fetch
   */
  fetch?: typeof fetch | undefined
}

/**
 * Posts each alert as JSON, with its idempotency key as a header. Any status except 2xx is a
 * failure, which is retried later. The URL counts as a secret, so errors name only its host.
 * Errors: `bad_option`.
 */
export function toWebhook(url: string | URL, options: WebhookOptions = {}): Notify {
  return posting('toWebhook', url, options, (alert) => alert)
}

/** Posts each alert to an incoming webhook of Slack. Otherwise like `toWebhook`. */
export function toSlack(url: string | URL, options: Pick<WebhookOptions, 'fetch'> = {}): Notify {
  return posting('toSlack', url, options, slackMessage)
}

function posting(
  name: string,
  given: string | URL,
  options: WebhookOptions,
  write: (alert: Alert) => unknown,
): Notify {
  const url = readUrl(name, given)
  const { headers = {}, fetch: send = fetch } = options
  return async (alert, { signal }) => {
    const response = await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': alert.idempotencyKey,
        ...headers,
      },
      body: JSON.stringify(write(alert)),
      // The URL is a secret and must not be sent on to another host.
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      throw notSent(url, alert, `did not answer${whyOf(error)}`)
    })
    // The status counts, even if the connection has broken since.
    await response.body?.cancel().catch(() => undefined)
    if (!response.ok) throw notSent(url, alert, `answered ${response.status}`)
  }
}

function readUrl(name: string, given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  const isFine = isHttp && url.username === '' && url.password === ''
  checkOption(isFine, `${name}: use an http or https URL without a user name.`)
  return new URL(given)
}

/** Leaves the error out of `cause`, because its text may contain the URL. */
function notSent({ host }: URL, { id }: Alert, what: string): OperateError {
  return new OperateError('not_sent', `Alert ${id} was not sent: ${host} ${what}.`)
}

function whyOf(error: unknown): string {
  const name = isError(error) ? error.name : undefined
  if (name === 'TimeoutError' || name === 'AbortError') return ' in time'
  const code = codeOf(isError(error) ? (error.cause ?? error) : error)
  return code === undefined ? '' : ` (${code})`
}

/** The most text that fits into a Slack block, with room for escapes. */
const maxLength = 600

/** The body of an incoming webhook of Slack: `text` for notifications, `blocks` for the message. */
function slackMessage(alert: Alert) {
  const { source, message, fix, openedAt, closedAt } = alert
  const name = nameOf(alert)
  const lasted = Date.parse(closedAt ?? openedAt) - Date.parse(openedAt)
  const head =
    closedAt === null
      ? `:rotating_light: *${name}* on ${source}`
      : `:white_check_mark: *${name}* on ${source} is over after ${describeDuration(lasted)}`
  const body = escapeSlack(message.slice(0, maxLength).toWellFormed())
  const section = { type: 'section', text: { type: 'mrkdwn', text: `${head}\n${body}` } }
  const advice = {
    type: 'context',
    elements: [{ type: 'mrkdwn', text: escapeSlack(fix || name) }],
  }
  return { text: `${head}: ${body}`, blocks: closedAt === null ? [section, advice] : [section] }
}

/** Without this, an event type could mention a whole channel or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
