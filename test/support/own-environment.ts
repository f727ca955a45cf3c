import { afterAll } from 'vitest'

// Test files share a process, and what one sets for programs that it starts is not for the next one.
const before = { ...process.env }

afterAll(() => {
  for (const name of Object.keys(process.env)) {
    if (!(name in before)) delete process.env[name]
  }
  Object.assign(process.env, before)
})
