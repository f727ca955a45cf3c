import { killWorkerAt } from './kill-at-point.ts'

export const killAfterEffect = killWorkerAt('after-effect', {
  name: 'kill-after-effect',
  describe: 'a worker dies after the effect and before the completion',
})
