import { setTimeout as delay } from 'node:timers/promises'
import { openContender } from '../../../bench/contenders/open-contender.ts'
import type { Contender, ContenderSettings } from '../../../bench/contenders/contender.ts'
import type { MemberSettings } from './settings.ts'

/** Starts any contender but this kit, and retries while its databases are down, like a process supervisor. */
export async function startContender(
  {
    contender: contenderName,
    ...settings
  }: MemberSettings & Pick<ContenderSettings, 'onFirstWrite'>,
  use: (contender: Contender) => Promise<void> = async () => {},
): Promise<Contender> {
  if (contenderName === 'feed-receiver') throw new Error('This kit has programs of its own.')
  for (;;) {
    const opening = openContender(contenderName, { ...settings, isQuick: true })
    try {
      const contender = await opening
      await use(contender)
      return contender
    } catch (error) {
      console.log(`cannot start: ${String(error)}`)
      await opening.then(({ stop }) => stop()).catch(() => undefined)
      await delay(100)
    }
  }
}
