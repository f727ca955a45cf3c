import { killReceiverAt } from './kill-at-point.ts'

export const killAfterAnswer = killReceiverAt('after-answer', {
  name: 'kill-after-answer',
  describe: 'a receiver dies right after its response',
})
