// Package duetime is the client for Duetime, the durable timer service: it creates timers, and answers when they fire.
package duetime
