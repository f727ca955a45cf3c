export * from './shared.ts'
export { createReceiver } from './receiver.node.ts'
export { fingerprintOf } from './signature/hmac.node.ts'
