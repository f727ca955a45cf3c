import { frame } from './0001-frame.ts'
import { events } from './0002-events.ts'
import { accountEvents } from './0003-account-events.ts'
import { webhooks } from './0100-webhooks.ts'
import { models } from './0200-models.ts'
import { faults } from './0300-faults.ts'
import { timeOrder } from './0350-time-order.ts'

/**
 * The sandbox's migrations, by name. They are modules, because not every runtime can read files.
 */
export const migrations = {
  '0001-frame.sql': frame,
  '0002-events.sql': events,
  '0003-account-events.sql': accountEvents,
  '0100-webhooks.sql': webhooks,
  '0200-models.sql': models,
  '0300-faults.sql': faults,
  '0350-time-order.sql': timeOrder,
}
