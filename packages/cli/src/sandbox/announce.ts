import type { Sandbox } from '@feed-receiver/sandbox'
import type { Context } from '../context.ts'

/** Says where everything is. The API key and the session are shown on purpose, this once. */
export function announce(service: Sandbox, apiKey: string, { out }: Context): void {
  const { url, controlUrl } = service
  const developersUrl = `${url}/developers`
  const text = `The feed service runs on this machine. Ctrl-C ends it.

  API           ${url}/v1/events
  Developers    ${developersUrl}
  Control page  ${controlUrl}
  API key       ${apiKey}

The key was made for this run, goes on working in later ones, and is not shown again.`
  out.reveal({ line: text, json: { type: 'started', url, controlUrl, developersUrl, apiKey } })
}
