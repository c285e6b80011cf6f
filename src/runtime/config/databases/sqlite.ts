// The path of a SQLite file.

export function parseSqlitePath(text: string): string {
  // Each of SQLite's connections would get an in-memory database of its own.
  if (text === '' || text === ':memory:')
    throw new RangeError('the path of a file; for a store in memory set DATABASE_URL=memory:')
  return text
}
