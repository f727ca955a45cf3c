import { afterAll } from 'vitest'
import { killPrograms } from './start-program.ts'

// Test files share a process, so one must not leave its programs and its environment variables to
// the next.
const before = { ...process.env }

afterAll(() => {
  killPrograms()
  for (const name of Object.keys(process.env)) {
    if (!(name in before)) delete process.env[name]
  }
  Object.assign(process.env, before)
})
