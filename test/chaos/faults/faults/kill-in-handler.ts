import { killWorkerAt } from './kill-at-point.ts'

export const killInHandler = killWorkerAt('in-handler', {
  name: 'kill-in-handler',
  describe: 'a worker dies inside a handler, before the effect',
})
