// Calls of the Java client that are made at the same time share requests, on the real service: few requests, and an answer or error for each.

import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { runTool } from '../../scripts/sdks/languages.ts'
import { gathering } from './support/gathering.ts'
import type { GatheringMode } from './support/gathering.ts'
import { compiledJava } from './support/java.ts'
import { skipWithout } from './support/tools.ts'

const PROGRAM = `
import dev.duetime.Duetime;
import dev.duetime.DuetimeAsync;
import dev.duetime.DuetimeException;
import dev.duetime.DuetimeOptions;
import dev.duetime.Json;
import dev.duetime.model.NewTimer;
import dev.duetime.model.Timer;
import dev.duetime.model.TimerChanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

public class Program {
    private static final String MODE = System.getenv("MODE");
    private static final Duetime CLIENT = new Duetime(DuetimeOptions.builder(System.getenv("DUETIME_URL"))
            .attemptTimeout(Duration.ofSeconds(2))
            .gather(!MODE.equals("off"))
            .build());
    private static final DuetimeAsync ASYNC = CLIENT.async();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    static NewTimer timer(String id, Object payload) {
        return NewTimer.builder().id(id).schedule("PT1H").callbackUrl("http://127.0.0.1:9/never").payload(payload).build();
    }

    static CompletableFuture<Timer> update(String id, Object payload) {
        return ASYNC.update(id, TimerChanges.builder().payload(payload).build());
    }

    static NewTimer numbered(int number) {
        return timer("t" + number, Map.of("n", number));
    }

    static CompletableFuture<?> inThread(Supplier<?> call) {
        return CompletableFuture.supplyAsync(call, THREADS);
    }

    static CompletableFuture<Object> told(CompletableFuture<?> call) {
        return call.handle((value, thrown) -> {
            Throwable cause = thrown != null && thrown.getCause() != null ? thrown.getCause() : thrown;
            if (cause instanceof DuetimeException error) return error.code();
            if (cause != null) return cause.toString();
            return value instanceof Timer timer ? List.of(timer.id(), timer.version(), timer.payload()) : "ok";
        });
    }

    static List<CompletableFuture<?>> calls() throws Exception {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        switch (MODE) {
            case "creates" -> {
                for (int n = 0; n < 500; n++) calls.add(ASYNC.create(numbered(n)));
            }
            case "off" -> {
                for (int n = 0; n < 20; n++) calls.add(ASYNC.create(numbered(n)));
            }
            case "order" -> {
                CLIENT.create(timer("t0", 0));
                calls.add(update("t0", 1));
                Thread.sleep(300);
                calls.add(update("t0", 2));
            }
            case "mixed" -> {
                CLIENT.create(timer("a", 0));
                CLIENT.create(timer("b", 0));
                Object deep = 1;
                for (int n = 0; n < 300; n++) deep = List.of(deep);
                calls.add(update("a", 1));
                calls.add(update("none", 1));
                calls.add(ASYNC.create(timer("deep", deep)));
                calls.add(ASYNC.cancel("b"));
                for (int n = 0; n < 60; n++) {
                    NewTimer timer = numbered(n);
                    calls.add(inThread(() -> CLIENT.create(timer)));
                }
                Thread.sleep(300);
                calls.add(4, ASYNC.cancel("b"));
            }
            default -> {
                CompletableFuture<Timer> left = ASYNC.create(timer("left", 0));
                calls.add(left);
                for (int n = 0; n < 60; n++) calls.add(ASYNC.create(numbered(n)));
                CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(() -> left.cancel(false));
            }
        }
        return calls;
    }

    public static void main(String[] args) throws Exception {
        List<CompletableFuture<Object>> said = calls().stream().map(Program::told).toList();
        System.out.println(Json.MAPPER.writeValueAsString(said.stream().map(CompletableFuture::join).toList()));
        System.exit(0);
    }
}
`

async function build(t: TestContext): Promise<(url: string, mode: GatheringMode) => Promise<string>> {
  const { cwd, classes, libraries } = await compiledJava(t)
  const classpath = [classes, ...libraries, '.'].join(delimiter)
  writeFileSync(join(cwd, 'Program.java'), PROGRAM)
  await runTool('javac', ['-cp', classpath, 'Program.java'], { cwd })
  return (url, mode) => runTool('java', ['-cp', classpath, 'Program'], { cwd, env: { DUETIME_URL: url, MODE: mode } })
}

gathering(build, skipWithout('java'))
