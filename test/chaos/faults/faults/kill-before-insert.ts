import { killReceiverAt } from './kill-at-point.ts'

export const killBeforeInsert = killReceiverAt('before-insert', {
  name: 'kill-before-insert',
  describe: 'a receiver dies after it has verified a delivery, before the insert',
})
