import { createInterface } from 'node:readline'
import { takeLock } from '../../packages/database/src/lock/lock.ts'

// Usage: take-lock.ts <folder> <waitMs>. Prints `ready`, and for each line of input `held`,
// `released` or the code of the error.
const [folder = '', waitMs = '0'] = process.argv.slice(2)
const held: { release(): void }[] = []

console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'release') {
    held.pop()?.release()
    console.log('released')
  } else {
    await take()
  }
}

async function take(): Promise<void> {
  try {
    held.push(await takeLock(folder, { waitMs: Number(waitMs) }))
    console.log('held')
  } catch (error) {
    console.log(error instanceof Error && 'code' in error ? error.code : String(error))
  }
}
