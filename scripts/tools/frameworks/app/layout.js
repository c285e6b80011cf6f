// Next.js wants one, although no page is ever asked for.

export default function Layout({ children }) {
  return children
}
