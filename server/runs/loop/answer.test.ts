import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { collectLog } from "#tests/support/servers/collected-log.ts";
import { runStart } from "#tests/support/data/run-events.ts";
import {
  call,
  finish,
  scriptedModel,
  text,
  thought,
  type ScriptStep,
} from "#tests/support/servers/scripted-model.ts";
import { ModelError, type Model } from "#server/models/model.ts";
import { builtInSource, ToolError, type ServerTool } from "#server/tools/tool.ts";
import type { RunRules } from "#server/tools/rules/decide.ts";
import type { CallLog } from "../calls/call-log.ts";
import { streamAnswer, type AnswerEnd } from "./answer.ts";
import type { PreparedModel } from "../prepare/prepared-run.ts";
import type { AnswerInput } from "./answer-state.ts";

const clock = { now: () => 1_000, sleep: async () => await new Promise<void>(() => {}) };

function tool(name: string, run: ServerTool["run"]): ServerTool {
  return {
    name,
    source: builtInSource,
    schemaHash: "",
    effect: "reads",
    readsStrangers: false,
    readsOtherThreads: false,
    description: `What ${name} does`,
    parameters: { type: "object" },
    run,
  };
}

const double = tool("double", async (args) => ({ doubled: 2 * (args as { n: number }).n }));

const rules: RunRules = {
  admin: [],
  own: [],
  inThread: [],
  isShared: false,
  mustBeLocal: false,
  isUnattended: false,
};
const calls: CallLog = { claim: async () => new Set(), end: () => {} };

type Answered = { events: RunEvent[]; end?: AnswerEnd; error?: unknown; log: ReturnType<typeof collectLog> };

/** All events of the answer, and how it ended. */
async function ask(
  model: Model,
  more: Partial<AnswerInput> = {},
  signal = new AbortController().signal,
): Promise<Answered> {
  const log = collectLog();
  const input: AnswerInput = {
    // Only the loop is tested here: the model ignores who observes its requests.
    model: model as unknown as PreparedModel,
    findFallback: async () => undefined,
    settings: {},
    forbiddenTools: [],
    unavailableTools: [],
    system: "Be brief.",
    messages: [{ role: "user", parts: [{ type: "text", text: "Well?" }] }],
    tools: [double],
    callerTools: [],
    context: { workspaceId: "wsp_0", threadId: "thread_0", timeZone: "UTC" },
    managesModels: false,
    partsBefore: [],
    stepEnds: [],
    remoteTools: [],
    readRules: async () => rules,
    listStrangers: async () => [],
    stepsMax: 12,
    approved: [],
    ...more,
  };
  const events: RunEvent[] = [];
  const stream = streamAnswer(input, { clock, logger: log.logger, signal, calls });
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done === true) return { events, end: step.value, log };
      events.push(step.value);
    }
  } catch (error) {
    return { events, error, log };
  }
}

const partsOf = ({ events }: Answered) => fold([runStart, ...events]).parts;
const usageOf = ({ events }: Answered) => fold([runStart, ...events]).usage;

describe("an answer", () => {
  test("has the model's output and finish reason", async () => {
    const answered = await ask(scriptedModel([thought("Hm."), text("Hello"), finish("length", 7)]));
    expect(partsOf(answered)).toMatchObject([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello" },
    ]);
    expect(answered.end).toEqual({ finishReason: "length" });
    expect(usageOf(answered)).toEqual({ output: 7 });
  });

  test("executes the tools that the model calls and sends their results until it calls none", async () => {
    const model = scriptedModel(
      [
        text("Let me see. "),
        call("1", "double", '{"n":2}'),
        call("2", "double", '{"n":3}'),
        finish("tool-calls", 5),
      ],
      [call("3", "double", '{"n":4}'), finish("tool-calls", 6)],
      [text("Done."), finish("stop", 7)],
    );
    const answered = await ask(model);
    expect(partsOf(answered)).toMatchObject([
      { type: "text", text: "Let me see. " },
      { toolCallId: "1", args: { n: 2 }, result: { doubled: 4 } },
      { toolCallId: "2", args: { n: 3 }, result: { doubled: 6 } },
      { toolCallId: "3", args: { n: 4 }, result: { doubled: 8 } },
      { type: "text", text: "Done." },
    ]);
    expect(answered.end).toEqual({ finishReason: "stop" });
    expect(usageOf(answered)).toEqual({ output: 18 });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(model.requests[2]?.messages.slice(1)).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "text", text: "Let me see. " },
          { type: "tool-call", toolCallId: "1", toolName: "double", args: { n: 2 } },
          { type: "tool-call", toolCallId: "2", toolName: "double", args: { n: 3 } },
        ],
      },
      {
        role: "tool",
        results: [
          { toolCallId: "1", toolName: "double", result: { doubled: 4 }, isError: false },
          { toolCallId: "2", toolName: "double", result: { doubled: 6 }, isError: false },
        ],
      },
      {
        role: "assistant",
        parts: [{ type: "tool-call", toolCallId: "3", toolName: "double", args: { n: 4 } }],
      },
      {
        role: "tool",
        results: [{ toolCallId: "3", toolName: "double", result: { doubled: 8 }, isError: false }],
      },
    ]);
    expect(model.requests[0]).toMatchObject({
      system: "Be brief.",
      purpose: "answer",
      tools: [{ name: "double" }],
    });
  });

  test("does not change the caller's messages", async () => {
    const messages = [{ role: "user" as const, parts: [{ type: "text" as const, text: "Well?" }] }];
    await ask(scriptedModel([call("1", "double", '{"n":1}'), finish()], [finish()]), { messages });
    expect(messages).toHaveLength(1);
  });

  test("sends an error message to the model when a call fails, and continues", async () => {
    const broken = tool("broken", async () => {
      throw new ToolError("There is no such day.");
    });
    const crashing = tool("crashing", async () => {
      throw new TypeError("cannot read the secret path /etc/passwd");
    });
    const calls: ScriptStep[] = [
      call("1", "broken"),
      call("2", "crashing"),
      call("3", "nobody"),
      call("4", "double", "{"),
      call("5", "double", ""),
    ];
    const answered = await ask(scriptedModel([...calls, finish("tool-calls")], [text("Sorry."), finish()]), {
      tools: [broken, crashing, double],
    });
    expect(partsOf(answered)).toMatchObject([
      { isError: true, result: { error: "There is no such day." } },
      { isError: true, result: { error: "The tool failed." } },
      { isError: true, result: { error: "There is no tool named nobody." } },
      { isError: true, result: { error: "The arguments are not valid JSON." } },
      { args: {}, result: { doubled: Number.NaN } },
      { type: "text", text: "Sorry." },
    ]);
    expect(answered.log.takeErrors()).toEqual([expect.stringContaining("a tool failed")]);
  });

  test("executes calls in parallel", async () => {
    const started: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const meet = tool("meet", async (args) => {
      started.push((args as { who: string }).who);
      if (started.length === 2) resolve();
      await promise;
      return true;
    });
    const answered = await ask(
      scriptedModel(
        [call("1", "meet", '{"who":"ada"}'), call("2", "meet", '{"who":"ben"}'), finish()],
        [finish()],
      ),
      { tools: [meet] },
    );
    expect(started).toEqual(["ada", "ben"]);
    expect(answered.error).toBeUndefined();
  });

  test("passes workspace, thread, question, time, time zone and signal to a tool", async () => {
    const { signal } = new AbortController();
    let received: unknown;
    const look = tool("look", async (_, context) => ((received = context), null));
    await ask(scriptedModel([call("1", "look"), finish()], [finish()]), { tools: [look] }, signal);
    expect(received).toEqual({
      workspaceId: "wsp_0",
      threadId: "thread_0",
      timeZone: "UTC",
      question: "Well?",
      cite: expect.any(Function) as unknown,
      countCall: expect.any(Function) as unknown,
      artifacts: expect.any(Object) as unknown,
      nowMs: 1_000,
      signal: expect.any(AbortSignal) as AbortSignal,
    });
  });

  describe("with tools of the caller", () => {
    const callerTools = [{ name: "paint", description: "", parameters: { type: "object" } }];

    test("ends with their call", async () => {
      const model = scriptedModel([
        text("I shall paint."),
        call("1", "paint", '{"colour":"red"}'),
        finish("tool-calls", 3),
      ]);
      const answered = await ask(model, { callerTools });
      expect(answered.end).toEqual({ finishReason: "tool-calls" });
      expect(usageOf(answered)).toEqual({ output: 3 });
      expect(partsOf(answered)[1]).toMatchObject({ toolName: "paint", args: { colour: "red" } });
      expect(partsOf(answered)[1]).not.toHaveProperty("result");
      expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["double", "paint"]);
    });

    test("executes the server's tools first when the model calls both", async () => {
      const answered = await ask(
        scriptedModel([call("1", "double", '{"n":2}'), call("2", "paint"), finish("tool-calls")]),
        { callerTools },
      );
      expect(answered.end).toEqual({ finishReason: "tool-calls" });
      expect(partsOf(answered)[0]).toMatchObject({ result: { doubled: 4 } });
      expect(partsOf(answered)[1]).not.toHaveProperty("result");
    });
  });

  test("closes the open part and throws when the model's connection breaks", async () => {
    const answered = await ask(scriptedModel([text("Once upon"), new ModelError("provider-broke-off")]));
    expect(answered.events.at(-1)).toEqual({ type: "text-end", part: 0 });
    expect(answered.error).toMatchObject({ code: "provider-broke-off" });
  });

  test("stops at the signal, in the model and in a tool, and closes the open part", async () => {
    const reason = new Error("enough");
    const inModel = new AbortController();
    const model = scriptedModel([text("Once upon"), "wait until aborted"]);
    const waiting = ask(model, {}, inModel.signal);
    await new Promise(setImmediate);
    inModel.abort(reason);
    const answered = await waiting;
    expect(answered.error).toBe(reason);
    expect(answered.events.at(-1)).toEqual({ type: "text-end", part: 0 });

    const inTool = new AbortController();
    const wait = tool("wait", async (_, { signal }) => {
      inTool.abort(reason);
      await new Promise((_resolve, reject) =>
        signal.aborted
          ? reject(signal.reason)
          : signal.addEventListener("abort", () => reject(signal.reason)),
      );
      return null;
    });
    expect(
      (await ask(scriptedModel([call("1", "wait"), finish()]), { tools: [wait] }, inTool.signal)).error,
    ).toBe(reason);
  });

  test("sends no further request after a signal during a tool that ignores it", async () => {
    const stop = new AbortController();
    const deaf = tool("deaf", async () => (stop.abort(new Error("enough")), "done"));
    const model = scriptedModel([call("1", "deaf"), finish()], [text("never"), finish()]);
    const answered = await ask(model, { tools: [deaf] }, stop.signal);
    expect((answered.error as Error).message).toBe("enough");
    expect(model.requests).toHaveLength(1);
  });

  test("limits the number of steps", async () => {
    const model = scriptedModel(
      ...Array.from({ length: 100 }, (_, index) => [
        call(String(index), "double", '{"n":1}'),
        finish("tool-calls"),
      ]),
    );
    const answered = await ask(model);
    expect(answered.error).toMatchObject({ code: "too-many-steps" });
    expect(model.requests).toHaveLength(12);
  });

  test("limits the size of text, arguments and results together", async () => {
    const half = "x".repeat(limits.runBytesMax / 2 - limits.toolOutputCharacters);
    const big = tool("big", async () => "x".repeat(2 * limits.toolOutputCharacters));
    const steps = [
      [text(half), call("1", "big", JSON.stringify({ half })), finish()],
      [call("2", "big", "{}"), finish()],
      [text("a little more"), finish()],
    ];
    const answered = await ask(scriptedModel(...steps), { tools: [big] });
    expect(answered.error).toMatchObject({ code: "answer-too-long" });
  });

  test("yields nothing that does not fit, however large one piece is", async () => {
    const large = "\u0000".repeat(limits.runBytesMax / 4);
    const image = { type: "part", part: { type: "image", image: large } } as const;
    const source = (index: number) =>
      ({
        type: "part",
        part: { type: "source", sourceType: "url", id: String(index), url: "x".repeat(1024 * 1024) },
      }) as const;
    const events = [
      [text(large)],
      [thought(large)],
      [call("1", "double", large)],
      [call("1", large, "{}")],
      [image],
      Array.from({ length: 60 }, (_, index) => source(index)),
      [call("1", "citing", "{}")],
    ];
    const citing = tool("citing", async (_, { cite }) => {
      for (let index = 0; index < 60; index++) cite({ url: `${index}`.repeat(1024 * 1024) });
      return "";
    });
    for (const step of events) {
      const answered = await ask(scriptedModel([...step, finish("tool-calls")]), {
        tools: [citing, double],
      });
      expect(answered.error).toMatchObject({ code: "answer-too-long" });
      expect(JSON.stringify(answered.events).length).toBeLessThan(limits.runBytesMax + 1_000);
    }
  });

  test("stops a call that fails again and again with the same arguments", async () => {
    let count = 0;
    const broken = tool("broken", async () => {
      count += 1;
      throw new ToolError("No.");
    });
    const same = Array.from({ length: 5 }, (_, step) => [call(String(step), "broken", '{"a":1}'), finish()]);
    const model = scriptedModel(...same, [call("9", "broken", '{"a":2}'), finish()], [text("ok"), finish()]);
    const { events } = await ask(model, { tools: [broken] });
    expect(count).toBe(limits.toolCallFailuresMax + 1);
    const results = events.filter(({ type }) => type === "tool-call-result");
    expect(JSON.stringify(results[3])).toContain("was not repeated");
  });

  test("limits the number of parts", async () => {
    const calls = Array.from({ length: limits.runPartsMax + 1 }, (_, index) =>
      call(String(index), "double", '{"n":1}'),
    );
    const answered = await ask(scriptedModel([...calls, finish("tool-calls")], [text("never"), finish()]));
    expect(answered.error).toMatchObject({ code: "answer-too-long" });
    expect(fold([runStart, ...answered.events]).parts.length).toBeLessThanOrEqual(limits.runPartsMax + 1);
  });

  test("sends no request when the reply is too long already", async () => {
    const before = [{ type: "text" as const, text: "x".repeat(limits.runBytesMax + 1) }];
    const model = scriptedModel([text("more"), finish()]);
    const answered = await ask(model, { partsBefore: before });
    expect(answered.error).toMatchObject({ code: "answer-too-long" });
    expect(answered.events).toEqual([]);
    expect(model.requests).toEqual([]);
  });

  test("continues the reply without repeating it", async () => {
    const before = [{ type: "text" as const, text: "The engine weaves algebraic" }];
    const model = scriptedModel([text("The engine weaves algebraic patterns."), finish()]);
    const answered = await ask(model, { partsBefore: before });
    const reply = fold([{ ...runStart, content: before } as RunEvent, ...answered.events]);
    expect(reply.parts).toEqual([{ type: "text", text: "The engine weaves algebraic patterns." }]);
    expect(model.requests[0]?.messages.at(-1)).toEqual({
      role: "assistant",
      parts: [{ type: "text", text: "The engine weaves algebraic" }],
    });
  });
});
