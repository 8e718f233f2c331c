import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { scriptedModel, text } from "#tests/support/servers/scripted-model.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Access } from "#server/people/rights/access.ts";
import { fullAccess } from "#server/people/rights/access.ts";
import { builtInSource, identify, type Tool } from "#server/tools/tool.ts";
import { createModelRules } from "../model-rules.ts";
import { prepareRun } from "./prepare-run.ts";
import type { AskedRun, PrepareModules, RunFacts } from "./prepared-run.ts";
import { readTools, type ToolSource } from "./tool-sources.ts";

const clock = { now: () => 0, sleep: async () => await new Promise<void>(() => {}) };

const assistant = {
  id: "gardener",
  instructions: "Speak of gardens.",
  tools: null,
  parameters: {},
} as ResolvedAssistant;

function tool(name: string): Tool {
  const facts = { effect: "reads", readsStrangers: false, readsOtherThreads: false } as const;
  return identify({ name, ...facts, description: "", parameters: {}, run: async () => null }, builtInSource);
}

const noRules = {
  toolRules: { of: async () => ({ admin: [], own: [] }) },
  allowedTools: { list: async () => [] },
};

type Facts = Partial<AskedRun> & { access?: Partial<Access>; isLocalOnly?: boolean; personal?: string };

/** Prepares a run outside of threads, with the rules of `access`. */
async function prepare({ access = {}, isLocalOnly = false, personal = "", ...asked }: Facts) {
  const steps: number[] = [];
  const modelRules = createModelRules({
    threads: { isLocalOnly: async () => false },
    assistants: { resolve: async () => assistant },
    isServerLocalOnly: async () => isLocalOnly,
    rights: { ofPerson: async () => ({ ...fullAccess("member"), ...access }) },
    budgets: { check: async () => false, reserveIn: async () => undefined },
    contextTokens: async () => 0,
  });
  const model = scriptedModel([text("Hello.")], [text("Hello.")]);
  const modules = {
    clock,
    modelRules,
    tools: [tool("dig"), tool("sow")],
    ...noRules,
    stepsMax: async () => 1,
    toolServers: { of: async () => ({ tools: [], unavailable: [] }) },
    personalInstructions: { find: async () => personal },
  } as unknown as PrepareModules;
  const run: AskedRun = {
    use: { appId: "app", workspaceId: "wsp", userId: "user", threadId: null, assistantId: "gardener" },
    model,
    assistant,
    conversation: {
      from: "client",
      system: "Be brief.",
      messages: [],
      tools: [{ name: "paint", description: "", parameters: {} }],
    },
    ownTools: "all",
    effort: null,
    timeZone: "UTC",
    nowMs: 0,
    hasBegun: false,
    hasFallback: true,
    recorder: { observer: (step = 0) => (steps.push(step), () => ({ onFirstToken() {}, onEnd() {} })) },
    signal: new AbortController().signal,
    ...asked,
  };
  return { prepared: await prepareRun(run, modules), model, steps };
}

const branch = { summary: undefined, pinned: [], messages: [], isCut: false };
const stored = { from: "thread", branch, steps: new Map() } as const;

test("a model or an assistant that the person may not use is refused, unless the answer has begun", async () => {
  const refusals: [Partial<Access>, string][] = [
    [{ model: () => false }, "model-not-allowed"],
    [{ assistant: () => false }, "assistant-not-allowed"],
  ];
  for (const [access, code] of refusals) {
    await expect(prepare({ access })).rejects.toEqual(new AppError(code as never));
    await prepare({ access, hasBegun: true });
  }
});

test("every request is recorded, and stays in the network where it must", async () => {
  const request = { purpose: "answer", messages: [], tools: [] } as const;
  for (const isLocalOnly of [false, true]) {
    const { prepared, model, steps } = await prepare({ isLocalOnly });
    const { signal } = new AbortController();
    for (const step of [1, 2])
      await Array.fromAsync(prepared.model.stream({ ...request, messages: [], tools: [] }, signal, step));
    expect(steps).toEqual([1, 2]);
    expect(model.requests.map(({ localOnly = false }) => localOnly)).toEqual([isLocalOnly, isLocalOnly]);
  }
});

test("the server's tools are offered as far as the person may use them, and a client's as they are", async () => {
  const { prepared } = await prepare({ access: { tool: (name) => name === "dig" } });
  expect(prepared.tools.map(({ name }) => name)).toEqual(["dig"]);
  expect(prepared.forbiddenTools).toEqual(["sow"]);
  expect(prepared.callerTools.map(({ name }) => name)).toEqual(["paint"]);
  const { prepared: plain } = await prepare({ assistant: undefined });
  expect([plain.tools, plain.system]).toEqual([[], "Be brief."]);
});

/** The tools of these sources. `warnings` gets the names of those that failed. */
async function readFrom(sources: readonly ToolSource[], warnings: unknown[] = []) {
  const run = {
    retried: async (work: () => Promise<unknown>) => await work(),
    assistant,
    ownTools: "all",
    conversation: stored,
    use: { threadId: null },
    thread: { isTemporary: false, isShared: false },
  } as unknown as RunFacts;
  const modules = {
    clock: { now: () => 0, sleep: async () => await new Promise<void>((resolve) => setImmediate(resolve)) },
    ...noRules,
    logger: { warn: (facts: { source: string }) => warnings.push(facts.source) },
  } as unknown as PrepareModules;
  const here = { access: { tool: () => true }, facts: undefined, mustBeLocal: false };
  return await readTools(run, modules, here, sources);
}

test("a source that fails or is slow costs its own tools, and no source takes another’s name", async () => {
  const sources: ToolSource[] = [
    {
      name: "good",
      executedBy: "server",
      list: async () => ({ tools: [tool("dig")], unavailable: ["Shed"] }),
    },
    {
      name: "broken",
      executedBy: "server",
      list: async () => {
        throw new Error("no connection");
      },
    },
    { name: "slow", executedBy: "server", list: async () => await new Promise(() => {}) },
    {
      name: "thief",
      executedBy: "server",
      list: async () => ({ tools: [{ ...tool("dig"), source: "thief" }] }),
    },
  ];
  const warnings: unknown[] = [];
  const { tools, unavailableTools } = await readFrom(sources, warnings);
  expect(tools.map(({ name, source }) => [name, source])).toEqual([["dig", builtInSource]]);
  expect(unavailableTools).toEqual(["Shed", "broken", "slow"]);
  expect(warnings).toEqual(["broken", "slow"]);
});

test("more tools than providers accept are left out, and the note names some of them", async () => {
  const many: ToolSource[] = [
    {
      name: "many",
      executedBy: "server",
      list: async () => ({ tools: Array.from({ length: 140 }, (_, n) => tool(`tool_${n}`)) }),
    },
  ];
  const { tools, unavailableTools } = await readFrom(many);
  expect(tools).toHaveLength(128);
  expect(unavailableTools).toEqual(["tool_128", "tool_129", "tool_130", "tool_131", "tool_132", "…"]);
});

test("what the person says about themselves is for their threads, and is cut at its budget", async () => {
  const personal = "x".repeat(2 * limits.personalInstructionsCharacters);
  const { prepared } = await prepare({ personal, conversation: stored });
  expect(prepared.system).toMatch(/^Speak of gardens\.\n\nToday is .+\n\nThe person wrote this/);
  expect(prepared.system.length).toBeLessThan(1.5 * limits.personalInstructionsCharacters);
  const { prepared: ofClient } = await prepare({ personal });
  expect(ofClient.system).toMatch(/^Speak of gardens\.\n\nToday is .+\n\nBe brief\.$/);
});
