import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { createIsolate, type Isolate } from "./isolate.ts";
import { ToolError } from "./tool.ts";

const open: Isolate[] = [];
afterEach(async () => {
  for (const isolate of open.splice(0)) await isolate.close();
});

function isolateWith(options: { timeLimitMs?: number; idleMs?: number } = {}): {
  isolate: Isolate;
  warnings: unknown[];
} {
  const warnings: unknown[] = [];
  const isolate = createIsolate({
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
    ...options,
  });
  open.push(isolate);
  return { isolate, warnings };
}

const never = new AbortController().signal;
const sum = (expression: string) => ({ name: "calculate", expression }) as const;
/** Takes minutes. */
const endless = sum("factorial(10^7)");

describe("a task that takes too long", () => {
  test("is ended, and the next one is carried out by a new worker", async () => {
    const { isolate } = isolateWith({ timeLimitMs: 150 });
    await isolate.run(sum("1+1"), never);
    const startMs = performance.now();
    await expect(isolate.run(endless, never)).rejects.toThrow("This takes too long.");
    expect(performance.now() - startMs).toBeLessThan(2_000);
    await expect(isolate.run(sum("1+1"), never)).resolves.toMatchObject({ result: "2" });
  });

  test("keeps others waiting, not failing", async () => {
    const { isolate } = isolateWith({ timeLimitMs: 200 });
    const [first, second, third] = await Promise.allSettled([
      isolate.run(sum("1+1"), never),
      isolate.run(endless, never),
      isolate.run(sum("2+2"), never),
    ]);
    expect([first?.status, second?.status, third?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test.for(["(10^60)!", "2^(10^15)", "gamma(10^30)", "combinations(10^9, 5*10^8)", "isPrime(10^40+121)"])(
    "such as %s, stops nothing",
    async (expression) => {
      const { isolate } = isolateWith({ timeLimitMs: 300 });
      const outcome = await isolate.run(sum(expression), never).catch((error: unknown) => error);
      expect(outcome instanceof ToolError || !(outcome instanceof Error)).toBe(true);
      await expect(isolate.run(sum("1+1"), never)).resolves.toMatchObject({ result: "2" });
    },
  );
});

describe("an abort", () => {
  test("is heard at once, before and while the task runs", async () => {
    const { isolate } = isolateWith();
    const reason = new Error("stop");
    await expect(isolate.run(sum("1+1"), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const running = isolate.run(endless, controller.signal);
    setTimeout(() => controller.abort(reason), 30);
    const startMs = performance.now();
    await expect(running).rejects.toBe(reason);
    expect(performance.now() - startMs).toBeLessThan(500);
  });
});

describe("the worker", () => {
  test("is let go when it is idle, and made anew", async () => {
    const { isolate } = isolateWith({ idleMs: 20 });
    await isolate.run(sum("1+1"), never);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(isolate.run(sum("1+2"), never)).resolves.toMatchObject({ result: "3" });
  });

  test("is gone after closing, and what comes later is refused", async () => {
    const { isolate } = isolateWith();
    const running = isolate.run(endless, never);
    running.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 30));
    await isolate.close();
    await expect(running).rejects.toThrow(ToolError);
    await expect(isolate.run(sum("1+1"), never)).rejects.toThrow(ToolError);
  });

  test("keeps no process alive, and sees no environment", async () => {
    const script = `
      import { createIsolate } from ${JSON.stringify(new URL("./isolate.ts", import.meta.url).href)};
      const isolate = createIsolate({ logger: { warn() {} } });
      const answer = await isolate.run({ name: "calculate", expression: "1+1" }, new AbortController().signal);
      console.log(answer.result);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 15_000,
    });
    expect(stdout.trim()).toBe("2");
  });
});
