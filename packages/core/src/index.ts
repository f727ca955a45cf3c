export * from './shared.ts'
export { createReceiver } from './receiver.node.ts'
export { parseEvent } from './event/decode.node.ts'
export { fingerprintOf, signatureHeader } from './signature/hmac.node.ts'
