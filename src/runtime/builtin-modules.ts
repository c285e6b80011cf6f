// Modules of Node whose exports load code when they are read, which an `import` does for all of them: of node:http the web's fetch, of
// node:zlib archives. Nobody here wants either, and they are a tenth of the time until a service listens.

export const http = process.getBuiltinModule('node:http')
export const zlib = process.getBuiltinModule('node:zlib')
