import { z } from 'zod'
import type { Behaviour, Context } from '../server/context.ts'
import { layOver } from '../state/lay-over.ts'

export const settingChanges = z.strictObject({
  firstCursor: z.enum(['tail', 'replay']).optional(),
  moveChanged: z.boolean().optional(),
})

export type SettingChanges = z.infer<typeof settingChanges>

/** Changes what is given, for this process and until it stops. */
export function changeSettings({ behaviour }: Context, changes: SettingChanges): Behaviour {
  // In place, since every part of the sandbox holds on to it.
  return { ...Object.assign(behaviour, layOver(behaviour, changes)) }
}
