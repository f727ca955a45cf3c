import { killAtPoint } from './kill-at-point.ts'

export const killAfterEffect = killAtPoint('worker', 'after-effect', {
  name: 'kill-after-effect',
  describe: 'a worker dies after the effect and before the completion',
})
