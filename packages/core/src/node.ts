export * from './clock.ts'
export * from './from-node.ts'
export * from './to-lambda.ts'
export * from './to-node-handler.ts'
