/** Writes docs/events.md. A test compares it with what this would write. */
import { writeFileSync } from 'node:fs'
import { formatEvents, eventsFile } from './format-events.ts'

writeFileSync(eventsFile, await formatEvents())
