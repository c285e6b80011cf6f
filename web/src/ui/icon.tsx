// The few pictures that this page uses, as strokes on a 16-unit grid. They decorate; words beside them say what is meant.

const PATHS = {
  gauge: 'M2.5 11.5a5.8 5.8 0 1 1 11 0M8 11l2.6-3.6',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.2V4M10.5 2.2V4',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.4',
  alert: 'M8 5.5v3M8 11h.01M7 2.6 1.8 11.5a1.1 1.1 0 0 0 1 1.7h10.4a1.1 1.1 0 0 0 1-1.7L9 2.6a1.15 1.15 0 0 0-2 0Z',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  cross: 'm4 4 8 8M12 4l-8 8',
  play: 'M5 3.2v9.6l7.6-4.8L5 3.2Z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  bolt: 'M8.8 1.8 3.2 9.2h4l-.6 5 5.8-7.6H8.2l.6-4.8Z',
  retry: 'M13 4v3.2H9.8M12.8 7A5.2 5.2 0 1 0 13 10',
  copy: 'M6 6h7v7.5H6zM10 6V2.5H3V10h3',
  edit: 'm10.5 3 2.5 2.5L6 12.5l-3.2.7.7-3.2L10.5 3Z',
  down: 'M8 2.5v8M4.8 7.4 8 10.6l3.2-3.2M3 13.5h10',
  up: 'M8 10.5v-8M4.8 5.6 8 2.4l3.2 3.2M3 13.5h10',
  chevron: 'm6 4 4 4-4 4',
  back: 'm10 4-4 4 4 4',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7Z',
  help: 'M6 6.2a2 2 0 1 1 2.8 1.9c-.5.2-.8.6-.8 1.2M8 11.6h.01M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4Z',
  leave: 'M6.5 2.5h-4v11h4M10.5 5l3 3-3 3M13 8H6',
  flame:
    'M8 14c2.6 0 4.3-1.8 4.3-4.2 0-3.3-3-4.3-3.1-8-2 1-3.2 2.8-3 4.9-.7-.4-1.1-1-1.2-1.7C4.2 6 3.7 7.5 3.7 9.7 3.7 12.2 5.400 14 8 14Z',
  nodes:
    'M3.5 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12.5 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5.5 3.5h5M4.5 5.3 7 10.7M11.5 5.3 9 10.7',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5 14 2Z',
} as const
export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent-fill)" />
      <circle cx="16" cy="16" r="9" fill="none" stroke="#fff" strokeOpacity=".55" strokeWidth="2.4" />
      <path
        d="M16 10.5V16l3.6 2.4"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="23" cy="9" r="3.6" fill="#ffb020" stroke="var(--accent-fill)" strokeWidth="1.6" />
    </svg>
  )
}
