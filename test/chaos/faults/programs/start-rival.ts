import { setTimeout as delay } from 'node:timers/promises'
import { rivals } from '../../../bench/contenders/open-rival.ts'
import type { Rival, RivalSettings } from '../../../bench/contenders/rival.ts'
import type { MemberSettings } from './settings.ts'

/** Starts a rival, and retries while its databases are down, like a process supervisor. */
export async function startRival(
  { rival: rivalName = 'naive', ...settings }: MemberSettings & Pick<RivalSettings, 'onFirstWrite'>,
  use: (rival: Rival) => Promise<void> = async () => {},
): Promise<Rival> {
  for (;;) {
    const opening = rivals[rivalName]({ ...settings, isQuick: true })
    try {
      const rival = await opening
      await use(rival)
      return rival
    } catch (error) {
      console.log(`cannot start: ${String(error)}`)
      await opening.then(({ stop }) => stop()).catch(() => undefined)
      await delay(100)
    }
  }
}
