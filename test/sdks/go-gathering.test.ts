// Calls of the Go client that are made at the same time share requests, on the real service: few requests, and an answer or error for each.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { runTool, sdkFolder } from '../../scripts/sdks/languages.ts'
import { tempDir } from '../support/temp-dir.ts'
import { gathering } from './support/gathering.ts'
import type { GatheringMode } from './support/gathering.ts'
import { skipWithout } from './support/tools.ts'

const PROGRAM = `
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	duetime "github.com/duetime/duetime/sdks/go"
)

var client = duetime.New(duetime.Options{
	URL: os.Getenv("DUETIME_URL"), AttemptTimeout: 2 * time.Second, DisableGathering: os.Getenv("MODE") == "off",
})
var ctx = context.Background()

func told(timer *duetime.Timer, err error) any {
	var failure *duetime.Error
	switch {
	case errors.As(err, &failure):
		return failure.Code
	case err != nil:
		return err.Error()
	case timer == nil:
		return "ok"
	default:
		return []any{timer.ID, timer.Version, timer.Payload}
	}
}

func create(ctx context.Context, id string, payload any) any {
	return told(client.Create(ctx, duetime.NewTimer{ID: id, Schedule: "PT1H", CallbackURL: "http://127.0.0.1:9/never", Payload: payload}))
}

func update(id string, payload any) any { return told(client.Update(ctx, id, duetime.TimerChanges{Payload: payload})) }

func cancel(id string) any { return told(nil, client.Cancel(ctx, id)) }

func together(calls ...func() any) []any {
	results := make([]any, len(calls))
	var all sync.WaitGroup
	for index, call := range calls {
		all.Add(1)
		go func() {
			defer all.Done()
			results[index] = call()
		}()
	}
	all.Wait()
	return results
}

func creates(count int, before ...func() any) []any {
	for n := range count {
		before = append(before, func() any { return create(ctx, fmt.Sprint("t", n), map[string]int{"n": n}) })
	}
	return together(before...)
}

// later is a call that is made while those before are under way.
func later(call func() any) func() any {
	return func() any {
		time.Sleep(300 * time.Millisecond)
		return call()
	}
}

func mixed() []any {
	together(func() any { return create(ctx, "a", 0) }, func() any { return create(ctx, "b", 0) })
	var deep any
	for range 300 {
		deep = []any{deep}
	}
	return creates(60,
		func() any { return update("a", 1) },
		func() any { return update("none", 1) },
		func() any { return create(ctx, "deep", deep) },
		func() any { return cancel("b") },
		later(func() any { return cancel("b") }),
	)
}

func canceled() []any {
	limited, end := context.WithCancel(ctx)
	time.AfterFunc(500*time.Millisecond, end)
	return creates(60, func() any { return create(limited, "left", 0) })
}

func main() {
	var said any
	switch os.Getenv("MODE") {
	case "order":
		creates(1)
		said = together(func() any { return update("t0", 1) }, later(func() any { return update("t0", 2) }))
	case "mixed":
		said = mixed()
	case "canceled":
		said = canceled()
	case "off":
		said = creates(20)
	default:
		said = creates(500)
	}
	_ = json.NewEncoder(os.Stdout).Encode(said)
}
`

async function build(t: TestContext): Promise<(url: string, mode: GatheringMode) => Promise<string>> {
  const cwd = tempDir(t)
  writeFileSync(join(cwd, 'main.go'), PROGRAM)
  const sdk = 'github.com/duetime/duetime/sdks/go'
  await runTool('go', ['mod', 'init', 'example.com/project'], { cwd })
  await runTool('go', ['mod', 'edit', `-require=${sdk}@v0.0.0`, `-replace=${sdk}=${sdkFolder('go')}`], { cwd })
  await runTool('go', ['build', '-o', 'program', '.'], { cwd })
  return (url, mode) => runTool(join(cwd, 'program'), [], { cwd, env: { DUETIME_URL: url, MODE: mode } })
}

gathering(build, skipWithout('go'))
