import { fileURLToPath } from 'node:url'
import { installTemplates } from '@feed-receiver/database/internal'

/** Installs the databases that this package ships: the first ones on a machine are then copies, too. */
export function installShippedTemplates(): void {
  installTemplates(fileURLToPath(new URL('../../dist/templates/', import.meta.url)))
}
