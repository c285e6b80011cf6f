// Nothing above this folder belongs to the application.
export default { outputFileTracingRoot: import.meta.dirname, turbopack: { root: import.meta.dirname } }
