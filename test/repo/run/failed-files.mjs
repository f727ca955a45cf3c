// A reporter of vitest: writes the files that failed to the path in FAILED_FILES, as JSON.
import { writeFileSync } from 'node:fs'

// Vitest requires a default export.
// oxlint-disable-next-line import/no-default-export
export default class FailedFiles {
  onTestRunEnd(modules, unhandledErrors) {
    const files = new Map()
    for (const module of modules.filter((one) => !one.ok())) {
      files.set(module.moduleId, titlesOf(module))
    }
    let unknownErrors = 0
    for (const { VITEST_TEST_PATH: file } of unhandledErrors) {
      if (file === undefined) unknownErrors += 1
      else if (!files.has(file)) files.set(file, ['an error outside of a test'])
    }
    const failed = [...files].map(([file, titles]) => ({ file, titles }))
    writeFileSync(process.env.FAILED_FILES, JSON.stringify({ failed, unknownErrors }))
  }
}

function titlesOf(module) {
  const titles = [...module.children.allTests('failed')].map(({ fullName }) => fullName)
  return titles.length > 0 ? titles : ['an error outside of a test']
}
