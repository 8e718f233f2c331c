import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { createToolWorker, type ToolWorker } from "./tool-worker.ts";
import { ToolError } from "./tool.ts";

const open: ToolWorker[] = [];
afterEach(async () => {
  for (const worker of open.splice(0)) await worker.close();
});

function workerWith(options: { timeLimitMs?: number; idleMs?: number } = {}): {
  worker: ToolWorker;
  warnings: unknown[];
} {
  const warnings: unknown[] = [];
  const worker = createToolWorker({
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
    ...options,
  });
  open.push(worker);
  return { worker, warnings };
}

const never = new AbortController().signal;
const calculation = (expression: string) => ({ name: "calculate", expression }) as const;
/** Takes minutes. */
const endless = calculation("factorial(10^7)");

describe("a task that takes too long", () => {
  test("is stopped, and the next one runs in a new worker", async () => {
    const { worker } = workerWith({ timeLimitMs: 150 });
    await worker.run(calculation("1+1"), never);
    await expect(worker.run(endless, never)).rejects.toThrow("This takes too long.");
    await expect(worker.run(calculation("1+1"), never)).resolves.toMatchObject({ result: "2" });
  });

  test("delays other tasks but does not fail them", async () => {
    const { worker } = workerWith({ timeLimitMs: 200 });
    const [first, second, third] = await Promise.allSettled([
      worker.run(calculation("1+1"), never),
      worker.run(endless, never),
      worker.run(calculation("2+2"), never),
    ]);
    expect([first?.status, second?.status, third?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test.for(["(10^60)!", "2^(10^15)", "gamma(10^30)", "combinations(10^9, 5*10^8)", "isPrime(10^40+121)"])(
    "such as %s, does not block the worker",
    async (expression) => {
      const { worker } = workerWith({ timeLimitMs: 300 });
      const outcome = await worker.run(calculation(expression), never).catch((error: unknown) => error);
      expect(outcome instanceof ToolError || !(outcome instanceof Error)).toBe(true);
      await expect(worker.run(calculation("1+1"), never)).resolves.toMatchObject({ result: "2" });
    },
  );
});

describe("an abort", () => {
  test("stops a task at once, before and while it runs", async () => {
    const { worker } = workerWith({ timeLimitMs: 3_600_000 });
    const reason = new Error("stop");
    await expect(worker.run(calculation("1+1"), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const running = worker.run(endless, controller.signal);
    setTimeout(() => controller.abort(reason), 30);
    await expect(running).rejects.toBe(reason);
  });
});

describe("the worker", () => {
  test("stops when it is idle, and restarts", async () => {
    const { worker } = workerWith({ idleMs: 20 });
    await worker.run(calculation("1+1"), never);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(worker.run(calculation("1+2"), never)).resolves.toMatchObject({ result: "3" });
  });

  test("is stopped by closing, and later tasks fail", async () => {
    const { worker } = workerWith();
    const running = worker.run(endless, never);
    running.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 30));
    await worker.close();
    await expect(running).rejects.toThrow(ToolError);
    await expect(worker.run(calculation("1+1"), never)).rejects.toThrow(ToolError);
  });

  test("does not keep the process alive", async () => {
    const script = `
      import { createToolWorker } from ${JSON.stringify(new URL("./tool-worker.ts", import.meta.url).href)};
      const worker = createToolWorker({ logger: { warn() {} } });
      const answer = await worker.run({ name: "calculate", expression: "1+1" }, new AbortController().signal);
      console.log(answer.result);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 15_000,
    });
    expect(stdout.trim()).toBe("2");
  });
});
