// The packages are ES modules, which Jest does not load with `require`, so it has to transform them.
module.exports = {
  transform: {
    '\\.tsx?$': 'ts-jest',
    '\\.[cm]?js$': ['@swc/jest', { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [],
}
