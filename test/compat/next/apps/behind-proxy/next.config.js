// The types are checked with those of the repository.
module.exports = { basePath: '/app', typescript: { ignoreBuildErrors: true } }
