export { fromNode, keepRawBody } from './from-node.ts'
export { toNodeHandler } from './to-node-handler.ts'
export type { FetchHandler } from './to-node-handler.ts'
