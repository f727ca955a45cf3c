import type { Sandbox } from '@feed-receiver/sandbox'
import type { Context } from '../context.ts'

/** Says where everything is. The API key and the session are shown on purpose, this once. */
export function announce(service: Sandbox, apiKey: string, { out }: Context): void {
  const { url, controlUrl } = service
  const developersUrl = `${url}/developers`
  out.json({ type: 'started', url, controlUrl, developersUrl, apiKey })
  out.line('The feed service runs on this machine. Ctrl-C ends it.')
  out.line('')
  out.line(`  API           ${url}/v1/events`)
  out.line(`  Developers    ${developersUrl}`)
  out.line(`  Control page  ${controlUrl}`)
  out.line(`  API key       ${apiKey}`)
  out.line('')
  out.line('The key was made for this run, goes on working in later ones, and is not shown again.')
}
