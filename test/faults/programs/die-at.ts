import { writeSync } from 'node:fs'

let armed: string | undefined

/** Makes the process kill itself when it next comes to a point. */
export function armDeath(point: string): void {
  armed = point
}

/** A point where the process can be told to die. The line is written out before it does. */
export function dieAt(point: string): void {
  if (armed !== point) return
  writeSync(1, `dying ${point}\n`)
  process.kill(process.pid, 'SIGKILL')
}
