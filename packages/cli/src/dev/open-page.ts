import type { Context } from '../command.ts'

/**
 * Opens a page in the user's browser, and returns whether it tried. Does nothing without a terminal
 * or a screen, or after an abort. `createUrl` returns an address whose secret is valid only once,
 * because other users of the machine can read the arguments of a browser.
 */
export async function openPage(
  createUrl: () => string,
  { out, env, canAsk, signal }: Pick<Context, 'out' | 'env' | 'canAsk' | 'signal'>,
): Promise<boolean> {
  const hasScreen = process.platform !== 'linux' || env['DISPLAY'] || env['WAYLAND_DISPLAY']
  if (signal.aborted || !canAsk || out.isJson || env['CI'] || !hasScreen) return false
  const { default: open } = await import('open')
  const child = await open(createUrl()).catch(() => undefined)
  const onFailure = () =>
    out.hint('No browser could be opened. Open the link of the page yourself.')
  if (child) child.once('error', onFailure)
  else onFailure()
  return true
}
