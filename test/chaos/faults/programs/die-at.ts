import { writeSync } from 'node:fs'

let armed: string | undefined

/** Makes the process kill itself when it next reaches a point. */
export function armDeath(point: string): void {
  armed = point
}

export function isArmed(point: string): boolean {
  return armed === point
}

/** A point at which the process can be told to die. It prints the line before it dies. */
export function dieAt(point: string): void {
  if (armed !== point) return
  writeSync(1, `dying ${point}\n`)
  process.kill(process.pid, 'SIGKILL')
}
