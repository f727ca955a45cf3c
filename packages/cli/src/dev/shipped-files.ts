import { fileURLToPath } from 'node:url'
import { installTemplates } from '@feed-receiver/database/internal'

/**
 * The folder of the built page of `feed-receiver dev`: a timeline of every event, with the screens
 * of the sandbox and of the console. Pass it to `createSandbox` as `page.folder`.
 */
export const devPage = new URL('../../dist/page/', import.meta.url)

/** Installs the databases that this package ships: the first ones on a machine are then copies, too. */
export function installShippedTemplates(): void {
  installTemplates(fileURLToPath(new URL('../../dist/templates/', import.meta.url)))
}
